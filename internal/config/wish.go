package config

import (
	"os"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/trust"
)

// wishes lists what a layer's scripts and modules ask for, and what of it
// goes beyond what is trusted.
func (l *loader) wishes(la *layer, before map[string][]string) (out []trust.Wish) {
	add := func(kind string, src *source, path string, grants []script.Grant, seen bool) {
		name := src.shown(path)
		if len(grants) == 0 {
			return
		}
		w := trust.Wish{Kind: kind, File: name}
		at := slices.IndexFunc(out, func(w trust.Wish) bool { return w.File == name })
		if at >= 0 { // two hooks of one file
			w = out[at]
		}
		for _, g := range grants {
			if seen && !slices.Contains(w.Seen, string(g)) {
				w.Seen = append(w.Seen, string(g))
			}
			if slices.Contains(w.Grants, string(g)) {
				continue
			}
			w.Grants = append(w.Grants, string(g))
			if !slices.Contains(before[name], string(g)) {
				w.More = append(w.More, string(g))
			}
		}
		if at < 0 {
			out = append(out, w)
		} else {
			out[at] = w
		}
	}
	for _, f := range la.found {
		switch {
		case f.script != nil:
			add("script", f.source, f.script.path, f.script.program.Grants(), f.script.seen)
		case f.module != nil:
			add("wasm", f.source, f.module.File, f.spec.grants, false)
		}
	}
	for _, f := range la.folders {
		for _, path := range f.scripts {
			if file := l.scripts.bundled[path]; file != nil {
				add("script", &f.source, path, file.program.Grants(), file.seen)
			}
		}
	}
	slices.SortFunc(out, func(a, b trust.Wish) int { return strings.Compare(a.File, b.File) })
	return out
}

// given is what trust.json keeps of wishes.
func given(wishes []trust.Wish) map[string][]string {
	out := map[string][]string{}
	for _, w := range wishes {
		out[w.File] = w.Grants
	}
	return out
}

// sights lists what the scripts of a layer see of the environment.
func (l *loader) sights(la *layer) (out []trust.Sight) {
	environ := l.opts.Environ
	if environ == nil {
		environ = os.Environ()
	}
	l.scripts.eachScript(la, func(src *source, file *scriptFile) {
		s := trust.Sight{File: src.shown(file.path)}
		if s.Variables, s.All = file.program.Variables(environ); s.All || len(s.Variables) > 0 {
			out = append(out, s)
		}
	})
	slices.SortStableFunc(out, func(a, b trust.Sight) int { return strings.Compare(a.File, b.File) })
	return slices.CompactFunc(out, func(a, b trust.Sight) bool {
		return a.File == b.File && a.All == b.All && slices.Equal(a.Variables, b.Variables)
	})
}
