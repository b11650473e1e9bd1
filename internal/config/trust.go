package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/trust"
)

// Trust pins what the workspace can run and be configured by, as it is now. The
// error is a Problems if its hookway.yaml has mistakes: what it would run is
// not known then.
func Trust(opts Options) (trust.Status, error) { return TrustIf(opts, nil) }

// TrustIf is Trust, if ask has nothing against it. What ask was shown is what is
// pinned, also when files change meanwhile.
func TrustIf(opts Options, ask func(trust.Status) error) (trust.Status, error) {
	l, err := newLoader(opts)
	if err != nil {
		return trust.Status{}, err
	}
	if l.workspace == "" {
		return trust.Status{State: trust.None}, fmt.Errorf("no workspace: neither %s nor a folder above it has a %s, %s, .hookway/hooks or .acai/hooks; run hookway init", l.dir, fileName, strings.Join(scriptNames, ", "))
	}
	defer l.scripts.closePrograms()
	l.scripts.asking = LayerWorkspace
	l.files.readOwn()
	l.files.readWorkspace()
	l.pinner.pinWorkspace()
	if err := l.set.Problems.Err(); err != nil {
		return trust.Status{Workspace: l.workspace, State: trust.Missing}, err
	}
	before, err := l.store.Read()
	if err != nil {
		return trust.Status{Workspace: l.workspace, State: trust.Missing}, err
	}
	status := before.Status(l.workspace, l.pinned.Manifest)
	status.Wishes = l.wishes(&l.work, before.Workspaces[l.workspace].Grants)
	status.Sees = l.sights(&l.work)
	status.Sends, status.Unknown, status.Unread, status.Wraps = l.destinations(), l.pinned.Doubts, l.pinned.Unreadable(), l.pinner.wraps
	if status.State == trust.Changed {
		status.Diffs = l.store.Differences(&l.pinned, status.Changes, before.Workspaces[l.workspace].Files)
	}
	if ask != nil {
		if err := ask(status); err != nil {
			return status, err
		}
	}
	entry := trust.Entry{Hash: status.Hash, Files: l.pinned.Manifest, Grants: given(status.Wishes), Since: time.Now().UTC().Truncate(time.Second)}
	entry.Seen = l.scripts.seenIn(&l.work, func(src *source, f *scriptFile) string { return src.shown(f.path) })
	if err := l.store.Trust(l.workspace, entry, l.pinned.Files); err != nil {
		return trust.Status{Workspace: l.workspace, State: trust.Missing}, err
	}
	status.State, status.Changes, status.Diffs = trust.Given, nil, nil
	return status, nil
}

// Untrust takes the trust back: of the nearest folder that has any, whose hooks
// are used. It reports the workspace, and whether there was any trust in it. Trust in a folder that has lost its hooks can be taken back too.
func Untrust(opts Options) (workspace string, was bool, err error) {
	l, err := newLoader(opts)
	if err != nil {
		return "", false, err
	}
	before, err := l.store.Read()
	if err != nil {
		return "", false, err
	}
	workspace = l.workspace
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		if _, ok := before.Workspaces[dir]; ok {
			workspace = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if _, ok := before.Workspaces[workspace]; !ok {
		return workspace, false, nil
	}
	was, err = l.store.Untrust(workspace)
	return workspace, was, err
}

// TrustOwn agrees to what the user's own scripts were seen to do, if ask has nothing
// against it. They run without that, but may do only what they ask for by allow.
func TrustOwn(opts Options, ask func(trust.Status) error) (trust.Status, error) {
	l, err := newLoader(opts)
	if err != nil {
		return trust.Status{}, err
	}
	defer l.scripts.closePrograms()
	l.scripts.asking = LayerUser
	l.files.readUser()
	status := trust.Status{Workspace: l.userDir, State: trust.None}
	if err := l.set.Problems.Err(); err != nil {
		return status, err
	}
	before, err := l.store.Read()
	if err != nil {
		return status, err
	}
	entries := l.scripts.seenIn(&l.user, func(_ *source, file *scriptFile) string { return file.path })
	grants := map[string][]string{}
	l.scripts.eachScript(&l.user, func(src *source, file *scriptFile) {
		if was, ok := before.Own[file.path]; ok && was.Hash == entries[file.path].Hash {
			grants[src.shown(file.path)] = was.Seen
		}
	})
	status.Files = slices.Sorted(maps.Keys(entries))
	status.Wishes, status.Sees = l.wishes(&l.user, grants), l.sights(&l.user)
	for i, w := range status.Wishes { // what they ask for by themselves they have
		if len(w.Seen) == 0 {
			status.Wishes[i].More = nil
		}
	}
	if ask != nil {
		if err := ask(status); err != nil {
			return status, err
		}
	}
	if err := l.store.Change(func(t *trust.File) error { t.Own = entries; return nil }); err != nil {
		return status, err
	}
	status.State = trust.Given
	return status, nil
}

// UntrustOwn takes back what TrustOwn has agreed to. It reports whether there was any.
func UntrustOwn(opts Options) (was bool, err error) {
	l, err := newLoader(opts)
	if err != nil {
		return false, err
	}
	err = l.store.Change(func(t *trust.File) error {
		was, t.Own = len(t.Own) > 0, nil
		return nil
	})
	return was, err
}

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

// destinations are those that the workspace's hookway.yaml names. What a script says
// when it runs is not among them.
func (l *loader) destinations() (out []trust.Destination) {
	add := func(d trust.Destination) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	var handler *hookSpec
	if f := l.work.file; f != nil && f.memory != nil {
		for _, d := range f.memory.Destinations() {
			add(d)
		}
		handler = f.memory.hook
	}
	for _, f := range l.work.found {
		d := trust.Destination{What: "events", By: f.spec.id}
		switch h := f.spec.handler; {
		case f.spec.disabled:
			continue
		case h.web != nil:
			d.To = web.Label(h.web.URL)
		case h.rpc != nil:
			d.To = rpc.Label(h.rpc.Target)
		}
		if f.spec == handler {
			d.What, d.By = "memory", "handler"
			switch {
			case f.script != nil:
				d.To = f.source.shown(f.script.path)
			case f.module != nil:
				d.To = f.source.shown(f.module.File)
			case d.To == "":
				d.To = f.shown()
			}
		}
		if d.To != "" {
			add(d)
		}
	}
	return out
}
