package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// scripts bundles the scripts that hooks are made of.
type scripts struct {
	*load
	bundled  map[string]*scriptFile // those of folders
	programs []*script.Program
	asking   string // the layer whose scripts a person is asked about now, or ""
	late     func(*source, *scriptFile, *script.Late) (hook.Hook, error)
}

// script bundles a file, as its entry has it, and pins what it is made of. A mistake in it is a
// problem at its place; then there is nothing to run.
func (l *scripts) script(src *source, path string, h *hookSpec) *scriptFile {
	root, grants := cmp.Or(src.root, src.dir), h.grants
	if src.layer == LayerWorkspace {
		for _, file := range bundle.Sources(path) {
			l.pinned.Add(file)
		}
	}
	bundle, err := script.Build(path, root, grants...)
	if check := l.ownerCheck(src.layer); err == nil && check != nil {
		err = onlyTheOwners(bundle.Files, check)
	}
	if err != nil {
		l.scriptProblems(root, path, err, "")
		return nil
	}
	if src.layer == LayerWorkspace {
		for _, file := range bundle.Files { // those outside of the workspace, too: they run as well
			l.pinned.Add(file)
		}
	}
	if grants == nil {
		grants = bundle.Asks
	}
	var seen bool
	if grants == nil {
		grants, seen = l.agreed(src, path, bundle), true
	}
	file := &scriptFile{path: path, bundle: bundle, seen: seen, grants: grants, late: &lateHooks{gone: map[string]bool{}}}
	file.late.build = func(late *script.Late) (hook.Hook, error) { return l.late(src, file, late) }
	may := grants
	if l.opts.Still {
		may = nil
	}
	file.program = script.Open(bundle, script.Config{
		Root: root, Allow: may, Settings: h.settings, Env: h.env, Needs: h.needs, Environ: command.Environ, Transport: l.opts.Transport, Log: l.opts.Log,
		Together: l.opts.Still, Past: l.opts.Past, Memory: l.opts.Memory, Relay: l.opts.Relay, Cache: filepath.Join(l.stateDir, "script"),
		Registered: file.late.registered, Unregistered: file.late.unregistered,
	})
	l.programs = append(l.programs, file.program)
	return file
}

// agreed is what a script may do that names no grants, neither in its file nor beside its
// name: what was seen in its code when it was trusted, and the user has agreed to. It
// ends with a change of any file of the script. Whatever its code hides it may not do.
func (l *scripts) agreed(src *source, path string, bundle *script.Bundle) []script.Grant {
	if l.asking == src.layer || src.layer == LayerManaged {
		return bundle.Uses()
	}
	said, ok := l.trust.Own[path]
	if src.layer == LayerWorkspace {
		said, ok = l.trust.Workspaces[l.workspace].Seen[src.shown(path)]
	}
	if !ok || said.Hash != l.hashOf(bundle) {
		return nil
	}
	return readGrants(said.Seen)
}

// hashOf is the hash of what the files of a script hold.
func (l *scripts) hashOf(b *script.Bundle) string {
	var c trust.Pins
	for _, file := range b.Files {
		if p, ok := l.pinned.Files[file]; ok {
			c.Put(p)
		} else {
			c.Add(file)
		}
	}
	return c.Manifest.Hash()
}

// seenIn is what trust.json keeps of what was seen in the scripts of a layer.
func (l *scripts) seenIn(la *layer, key func(*source, *scriptFile) string) map[string]trust.Agreed {
	out := map[string]trust.Agreed{}
	l.eachScript(la, func(src *source, file *scriptFile) {
		if !file.seen || len(file.program.Grants()) == 0 {
			return
		}
		one := trust.Agreed{Hash: l.hashOf(file.bundle)}
		for _, g := range file.program.Grants() {
			one.Seen = append(one.Seen, string(g))
		}
		out[key(src, file)] = one
	})
	return out
}

// eachScript gives each script of a layer, once for each hook that names it.
func (l *scripts) eachScript(la *layer, do func(*source, *scriptFile)) {
	for _, f := range la.found {
		if f.script != nil {
			do(f.source, f.script)
		}
	}
	for _, f := range la.folders {
		for _, path := range f.scripts {
			if file := l.bundled[path]; file != nil {
				do(&f.source, file)
			}
		}
	}
}

// nodeScript looks at a script that Node shall run. It reports whether it can.
func (l *scripts) nodeScript(f *found) bool {
	n := f.spec.handler.script.Node
	file := shell.Under(f.source.dir, f.spec.handler.script.Text)
	problem := Problem{File: f.file, Line: n.Line, Column: n.Column, Hook: f.spec.id, Message: "there is no script " + file, Hint: "create it or correct the name; it starts from the folder of this file"}
	if disk.Exists(file) {
		program, err := bundle.ForNode(file)
		if err == nil {
			f.spec.worker = !program
			f.node = bundle.FilesForNode(file)
			return true
		}
		problem.Message, problem.Hint = strict.Line(err.Error()), ""
	}
	l.set.Problems = append(l.set.Problems, problem)
	return false
}

// onlyTheOwners checks that nobody else could have written what scripts of the user, or of
// the administrator, are made of.
func onlyTheOwners(files []string, check func(string, fs.FileInfo) error) error {
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", file, disk.Cause(err))
		}
		if err := check(file, info); err != nil {
			return err
		}
	}
	return nil
}

// scriptProblems notes the mistakes of a script.
func (l *scripts) scriptProblems(root, path string, err error, hint string) {
	all := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok && errors.As(err, new(*script.Mistake)) {
		all = many.Unwrap()
	}
	for _, one := range all {
		p := strict.ToldOf(path, root, one.Error())
		p.Hint = hint
		var m *script.Mistake
		if errors.As(one, &m) {
			p.Message, p.Line, p.Column = strict.Line(m.Text), m.Line, m.Column
			if m.File != "" {
				p.File = filepath.Join(root, filepath.FromSlash(m.File))
			}
		}
		l.set.Problems = append(l.set.Problems, p)
	}
	l.set.Failed = append(l.set.Failed, path)
}

// closePrograms lets go what no hook has taken.
func (l *scripts) closePrograms() {
	for _, p := range l.programs {
		_ = p.Close() // the hooks that run it keep it
	}
}

// registered turns what a script says of a hook into one, by the rules of hookway.yaml.
func (l *scripts) registered(file string, h script.Registered, profile string) (*hookSpec, error) {
	m := map[string]any{"id": h.ID, "script": file}
	for name, value := range h.Options {
		m[name] = value
	}
	lower, _ := m["lower_first"].(bool)
	delete(m, "lower_first")
	if _, given := m["profile"]; !given && profile != "" {
		m["profile"] = profile
	}
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("its hook %s cannot be read: %w", h.ID, err)
	}
	spec, err := l.readSpec(file, data)
	if err != nil {
		place := h.Place
		if place == "" {
			place = filepath.Base(file)
		}
		return nil, fmt.Errorf("%s: its hook %s is wrong: %w", place, h.ID, err)
	}
	if lower && spec.profile != nil {
		spec.profile.HigherFirst = false
	}
	return spec, nil
}

// nameScripts bundles the scripts that a layer names in its hookway.yaml. One with a
// mistake leaves out its own entry: the other hooks of the file run.
func (l *scripts) nameScripts(la *layer) {
	la.found = slices.DeleteFunc(la.found, func(f *found) bool {
		if f.spec.handler.script == nil || f.spec.disabled {
			return false
		}
		problems := len(l.set.Problems)
		if f.spec.byNode && l.nodeScript(f) || !f.spec.byNode && l.bundle(la, f) {
			return false
		}
		l.set.leaveOut(f)
		if n := len(l.set.Problems); n > problems && f.spec.closed() { // it goes on to say no
			f.broken = errors.New("its script cannot run: " + l.set.Problems[problems].Message)
		}
		return f.broken == nil
	})
}

// bundle bundles the script of an entry. It reports whether it can run.
func (l *scripts) bundle(la *layer, f *found) bool {
	path, n := shell.Under(f.source.dir, f.spec.handler.script.Text), f.spec.handler.script.Node
	if !disk.Exists(path) {
		l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: n.Line, Column: n.Column, Hook: f.spec.id, Message: "there is no script " + path, Hint: "create it or correct the name; it starts from the folder of this file"})
		return false
	}
	la.named = append(la.named, path)
	f.index = script.Main
	if f.spec.plugin {
		f.index = script.OpenClaw
	}
	if f.script = l.script(f.source, path, f.spec); f.script == nil {
		return false
	}
	return l.fits(f)
}

// bundleFolders bundles the scripts of a layer's folders.
func (l *scripts) bundleFolders(la *layer) {
	for _, f := range la.folders {
		for _, path := range f.scripts {
			if l.bundled == nil {
				l.bundled = map[string]*scriptFile{}
			}
			if file := l.script(&f.source, path, new(hookSpec)); file != nil {
				l.bundled[path] = file
			}
		}
	}
}

// fits checks the settings of a plugin against what its openclaw.plugin.json says of
// them, and fills in what has a default.
func (l *scripts) fits(f *found) bool {
	if f.script.bundle.Plugin == nil || f.script.bundle.Plugin.Schema == nil {
		return true
	}
	settings, err := checkSettings(f.script.bundle.Plugin.Schema, f.spec.settings)
	if err == nil {
		f.script.program.Configure(settings)
		return true
	}
	at := f.spec.handler.script.Node
	if n := f.spec.keys["config"]; n != nil {
		at = n
	}
	l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: at.Line, Column: at.Column, Hook: f.spec.id,
		Message: strict.Line("config: " + err.Error()), Hint: "the plugin's openclaw.plugin.json says what it takes; write config: beside script:"})
	return false
}

// checkSettings gives the settings with their defaults.
func checkSettings(schema, settings json.RawMessage) (json.RawMessage, error) {
	if settings == nil {
		settings = json.RawMessage("{}")
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return settings, nil // of a dialect that we do not read: the plugin looks itself
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: false})
	if err != nil {
		return settings, nil
	}
	var value map[string]any
	if err := json.Unmarshal(settings, &value); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if err := resolved.ApplyDefaults(&value); err != nil {
		return settings, nil
	}
	if err := resolved.Validate(value); err != nil {
		return nil, errors.New(plainly(err))
	}
	return json.Marshal(value)
}

var schemaPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`validating (root|/[^:]*): `) })

// plainly is a message of the validator without the way to the rule.
func plainly(err error) string {
	return strict.Clip(strings.TrimSpace(schemaPath().ReplaceAllString(err.Error(), "")))
}

// readGrants reads what trust.json has; what nobody knows is not a grant.
func readGrants(names []string) (out []script.Grant) {
	for _, name := range names {
		if g, err := script.ParseGrant(name); err == nil {
			out = append(out, g)
		}
	}
	return out
}
