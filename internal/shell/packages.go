package shell

import (
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// nodeOwn are the modules that Node brings along, which no package stands in for.
var nodeOwn = strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https " +
	"inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib")

// packaged is a module of JavaScript by its name: a file beside the program, or a package.
// What lies in a package is pinned whole, with the packages that it says it needs: which
// of its files it loads is its own affair.
func (l *loader) packaged(name, src string, folders []string) {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case strings.HasPrefix(name, ".") || filepath.IsAbs(name):
		l.named(folders, spellings(strings.TrimRight(name, "/")), src, "")
		return
	case strings.HasPrefix(name, "node:") || strings.HasPrefix(name, "bun:") || first == "bun" || slices.Contains(nodeOwn, first):
		return
	case strings.Contains(name, ":"):
		l.loose(name)
		return
	case strings.HasPrefix(name, "#"):
		for _, dir := range folders {
			l.mapped(dir, src)
		}
		return
	case l.List == nil:
		l.loose(name)
		return
	}
	if parts := strings.SplitN(name, "/", 3); strings.HasPrefix(name, "@") && len(parts) > 1 {
		first = parts[0] + "/" + parts[1]
	}
	for _, dir := range folders {
		l.installed(dir, first, src)
	}
}

// installed looks for a package in the folders of packages, upwards.
func (l *loader) installed(from, name, src string) {
	for dir := from; l.step(); {
		at := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		if _, err := l.List(at); err == nil {
			l.whole(at, src)
			return
		}
		l.out.Folders = append(l.out.Folders, at) // it may come
		for _, ending := range []string{".js", ".json", ".node"} {
			l.tell(&l.out.Sources, "s", Name{Path: at + ending, Word: src})
		}
		up := filepath.Dir(dir)
		if up == dir {
			return
		}
		dir = up
	}
}

// whole is a package with all that is in it, and those that it needs.
func (l *loader) whole(at, src string) {
	key := "package " + at
	if l.told[key] {
		return
	}
	l.told[key] = true
	l.tell(&l.out.Sources, "s", Name{Path: at, Word: src, Tree: true})
	if l.Open == nil {
		return
	}
	data, err := l.Open(filepath.Join(at, "package.json"))
	if err != nil { // then it says nothing of what it needs
		l.named([]string{at}, []string{"index.js"}, src, "")
		return
	}
	var pack struct{ Dependencies, PeerDependencies, OptionalDependencies map[string]string }
	_ = json.Unmarshal(data, &pack)
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	for _, list := range []map[string]string{pack.Dependencies, pack.PeerDependencies, pack.OptionalDependencies} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			l.installed(at, name, src)
		}
	}
}

// mapped looks at the package.json that says what # names mean.
func (l *loader) mapped(dir, src string) {
	for l.step() {
		file := filepath.Join(dir, "package.json")
		l.tell(&l.out.Sources, "s", Name{Path: file, Word: src})
		if l.Open == nil {
			return
		}
		if data, err := l.Open(file); err == nil {
			l.settles(l.in, data, dir, src)
			return
		}
		up := filepath.Dir(dir)
		if up == dir {
			return
		}
		dir = up
	}
}

// settings are the files by which runtimes choose what a module's name means.
var settings = map[string]string{"deno": "deno.json deno.jsonc import_map.json", "bun": "bunfig.toml tsconfig.json", "tsx": "tsconfig.json", "ts-node": "tsconfig.json"}

// configured notes the settings of a runtime that lie where it runs, and what they name.
func (a *analysis) configured(name string) {
	for _, file := range strings.Fields(settings[name]) {
		for _, dir := range a.from(file) {
			n := Name{Path: Under(dir, file), Word: name}
			if a.tell(&a.out.Sources, "s", n); a.Open == nil {
				continue
			}
			if data, err := a.Open(n.Path); err == nil {
				a.settles(node, data, filepath.Dir(n.Path), name)
			}
		}
	}
	if name == "uv" {
		for _, dir := range a.from(".") {
			a.equipped(filepath.Join(Under(dir, "."), ".venv", "bin", "python"), name)
		}
	}
}

// relative finds the names in a text that start from its folder.
var relative = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(\.{1,2}/[^"\n]*)"`) })

// settles notes the files and folders that settings name.
func (a *analysis) settles(in interpreter, data []byte, dir, src string) {
	for _, m := range relative().FindAllStringSubmatch(string(data), maxTexts) {
		name := m[1]
		if before, _, many := strings.Cut(name, "*"); many || strings.HasSuffix(name, "/") {
			a.tell(&a.out.Sources, "s", Name{Path: Under(dir, path.Clean(before)), Word: src, Tree: a.List != nil})
			continue
		}
		n := Name{Path: Under(dir, name), Word: src}
		a.tell(&a.out.Sources, "s", n)
		a.loads(in, n)
	}
}

// equipped notes the packages of an environment of Python in which a program lies.
func (a *analysis) equipped(program, src string) {
	if a.Open == nil || a.List == nil {
		return
	}
	root := filepath.Dir(filepath.Dir(program))
	config := filepath.Join(root, "pyvenv.cfg")
	if _, err := a.Open(config); err != nil || a.told["venv "+root] {
		return
	}
	a.told["venv "+root] = true
	a.tell(&a.out.Sources, "s", Name{Path: config, Word: src})
	for _, dir := range a.matches(filepath.Join(root, "lib"), "python*") {
		a.tell(&a.out.Sources, "s", Name{Path: filepath.Join(dir, "site-packages"), Word: src, Tree: true})
	}
}
