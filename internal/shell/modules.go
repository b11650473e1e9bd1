package shell

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// imported finds the modules that a text of Python names; required those that one of
// JavaScript names by a path, and requiredRuby and requiredPerl those of Ruby and Perl.
var (
	imported = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^|[;:\s])(?:import|from)[ \t]+(\.*[\w.]*(?:[ \t]*,[ \t]*[\w.]+)*)(?:[ \t]+import[ \t]+\(?([\w, \t]+))?`)
	})
	required = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\brequire\s*\(\s*|\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}/[^"'\n]+)["']`)
	})
	written      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.[cm]?jsx?$`) })
	requiredPerl = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:require|do)\s*\(?\s*["']([^"'\n]+)["']`) })
	requiredRuby = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)\brequire_relative\s*\(?\s*["']([^"'\n]+)["']`) })
)

// loadedFirst are the modules that Python has when a script begins: no file stands in
// for one of them.
var loadedFirst = []string{"sys", "os", "io", "builtins", "time", "abc", "codecs", "stat", "site", "marshal", "posixpath", "genericpath", "__future__"}

func isPython(in interpreter) bool { return len(in.endings) > 0 && in.endings[0] == ".py" }

// packages are a module of Python, and those that it lies in, which are loaded first.
func packages(module string) (out []string) {
	parts := strings.Split(module, ".")
	for i := range parts {
		out = append(out, strings.Join(parts[:i+1], "/"))
	}
	return out
}

// imports notes the modules that code of Python may take from where it runs, which it
// looks through before all others.
func (a *analysis) imports(in interpreter, code arg) {
	if !isPython(in) {
		return
	}
	for _, name := range modulesOf(code.text) {
		if !strings.HasPrefix(name, ".") {
			a.module(in, arg{value: value{text: name}, known: true, src: name})
		}
	}
}

// modulesOf are the modules that a text of Python names; one from the folder of the
// text begins with a dot.
func modulesOf(text string) (out []string) {
	for _, m := range imported().FindAllStringSubmatch(text, maxTexts) {
		for _, name := range strings.Split(m[1], ",") {
			name = strings.TrimSpace(name)
			if strings.Trim(name, ".") != "" {
				out = append(out, name)
			}
			if m[2] != "" && name != "" { // from x import y: y may be a module in x
				for _, inner := range strings.Split(m[2], ",") {
					if inner, _, _ = strings.Cut(strings.TrimSpace(inner), " "); inner != "" {
						out = append(out, strings.TrimRight(name, ".")+strings.Repeat(".", max(1, len(name)-len(strings.TrimRight(name, "."))))+inner)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(withPulled(out), func(name string) bool { return slices.Contains(loadedFirst, name) })
}

// loads notes the modules that a script takes from its own folder, and what those take.
func (a *analysis) loads(in interpreter, n Name) {
	if a.Open == nil || n.Tree || a.full || len(in.endings) == 0 || a.walked["import "+n.Path] || len(a.walked) > maxTexts {
		return
	}
	a.walked["import "+n.Path] = true
	data, err := a.Open(n.Path)
	if err != nil || strings.ContainsRune(string(data[:min(len(data), 256)]), 0) {
		return
	}
	folders := []string{filepath.Dir(n.Path)}
	if real, err := filepath.EvalSymlinks(n.Path); err == nil && real != n.Path { // where the interpreter looks
		folders = append(folders, filepath.Dir(real))
	}
	script := a.script
	a.script = n.Path
	for _, base := range siblings(in, string(data)) {
		for _, ending := range append([]string{""}, in.endings...) {
			if ending == "" && filepath.Ext(base) == "" || ending == "/__main__.py" {
				continue
			}
			for _, dir := range folders {
				m := Name{Path: filepath.Join(dir, filepath.FromSlash(base+ending)), Word: base}
				a.tell(&a.out.Sources, "s", m)
				a.loads(in, m)
			}
		}
	}
	a.script = script
}

// siblings are the names, from a script's folder, of the modules that it loads.
func siblings(in interpreter, text string) (out []string) {
	switch in.endings[0] {
	case ".py":
		for _, name := range modulesOf(text) {
			up := len(name) - len(strings.TrimLeft(name, "."))
			for _, p := range packages(strings.TrimLeft(name, ".")) {
				out = append(out, strings.Repeat("../", max(0, up-1))+p)
			}
		}
	case ".js":
		for _, m := range required().FindAllStringSubmatch(text, maxTexts) {
			out = append(out, m[1])
			if ending := written().FindString(m[1]); ending != "" { // what TypeScript would make of it
				typed := strings.TrimSuffix(m[1], ending) + strings.NewReplacer("js", "ts").Replace(ending)
				out = append(out, typed, strings.TrimSuffix(typed, "x")+"x")
			}
		}
	case ".pm":
		for _, m := range requiredPerl().FindAllStringSubmatch(text, maxTexts) {
			out = append(out, m[1])
		}
	case ".rb":
		for _, m := range requiredRuby().FindAllStringSubmatch(text, maxTexts) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofShebang is the interpreter that the first line of a script names.
func ofShebang(text string) (interpreter, bool) {
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return interpreter{}, false
	}
	for _, w := range strings.Fields(line) {
		if in, ok := interpreters[base(w)]; ok {
			return in, true
		}
	}
	return interpreter{}, false
}
