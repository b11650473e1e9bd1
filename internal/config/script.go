package config

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// scriptNames are the scripts that are found by their names beside hookway.yaml.
var scriptNames = []string{"hookway.config.ts", relayScript}

// scriptExtensions are those of scripts in a hooks folder.
var scriptExtensions = []string{".ts", ".mts", ".js", ".mjs"}

// isScript reports whether an entry of a hooks folder is a script. One that names
// its interpreter in its first line and may be executed is a program as others are.
func isScript(path string) bool {
	if !slices.Contains(scriptExtensions, filepath.Ext(path)) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o111 == 0 {
		return true
	}
	f, err := disk.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	var first [2]byte
	n, _ := f.Read(first[:]) // an empty file has no first line
	return string(first[:n]) != "#!"
}

// isDeclaration reports whether a file has types only.
func isDeclaration(name string) bool {
	return strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts")
}

// scriptFile is a script that hooks are made of, bundled once for a load.
type scriptFile struct {
	path    string
	bundle  *script.Bundle
	program *script.Program
	late    *lateHooks
	seen    bool   // nothing says what it may do: that is what trust has seen in it
	profile string // of hooks that name none
	prefix  string // of the ids of its hooks; "" keeps them
}

// scripts bundles the scripts that hooks are made of.
type scripts struct {
	*load
	bundled  map[string]*scriptFile // those of folders
	programs []*script.Program
	asking   string // the layer whose scripts a person is asked about now, or ""
	late     func(*source, *scriptFile, *script.Late) (Hook, error)
}

// named is the id of one of several hooks of the file.
func (f *scriptFile) named(id string) string {
	if f.prefix == "" {
		return id
	}
	return f.prefix + "/" + strings.TrimPrefix(id, strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))+"/")
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
	if err == nil && src.layer == LayerUser {
		err = l.onlyTheUsers(bundle.Files)
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
	file := &scriptFile{path: path, bundle: bundle, seen: seen, late: &lateHooks{gone: map[string]bool{}}}
	file.late.build = func(late *script.Late) (Hook, error) { return l.late(src, file, late) }
	file.program = script.Open(bundle, script.Config{
		Root: root, Allow: grants, Settings: h.settings, Env: h.env, Needs: h.needs, Environ: command.Environ, Transport: l.opts.Transport, Log: l.opts.Log,
		Memory: l.opts.Memory, Relay: l.opts.Relay, Cache: filepath.Join(l.stateDir, "script"),
		Registered: file.late.registered, Unregistered: file.late.unregistered,
	})
	l.programs = append(l.programs, file.program)
	return file
}

// onlyTheUsers checks that nobody else could have written what the user's scripts
// are made of.
func (l *scripts) onlyTheUsers(files []string) error {
	for _, file := range files {
		if err := trust.CheckPath(file); err != nil {
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

// scriptHook is the hook of a file that may not be run, not even to ask it.
func scriptHook(src *source, file *scriptFile, id string) *found {
	return &found{
		spec:   &hookSpec{id: id, node: &yaml.Node{}, handler: handlerSpec{kind: "script"}},
		source: src, file: file.path, script: file, index: script.Main,
	}
}

// askScript finds out which hooks a script registers.
func (l *asker) askScript(ctx context.Context, src *source, file *scriptFile, id, profile string) ([]*found, error) {
	d, err := file.program.Describe(ctx)
	if err != nil {
		return nil, err
	}
	if idle, ok := d.Settings["idle_threshold_ms"].(float64); ok && idle > 0 {
		l.idle = append(l.idle, idle)
	}
	l.askWrapped(src, file, d.Settings)
	if memory, ok := d.Settings["memory"]; ok {
		if err := l.memories.scriptMemory(src, file.path, memory); err != nil || len(d.Hooks) == 0 {
			return nil, err
		}
	}
	for _, note := range d.Notes {
		l.set.Warn(file.path, id, note, "")
	}
	if len(d.Hooks) == 0 && (file.bundle.Plugin != nil || len(d.Kept) > 0) {
		l.set.Warn(file.path, id, "the plugin registers no hook, so nothing of it runs here", strings.Join(d.Kept, "; "))
		return nil, nil
	}
	if len(d.Hooks) == 0 && (d.Settings["wrap"] != nil || d.Settings["name"] != nil) {
		return nil, nil // it only names the session
	}
	if len(d.Hooks) == 0 {
		if d.Default {
			return nil, errors.New("its default function is no hook yet: it does not say which events it wants; write export const on = [\"PreToolUse\"], or name the file under script: in hookway.yaml, with the events under on")
		}
		return nil, errors.New("it registers no hook; export a default function with export const on = [\"PreToolUse\"], or put what hooks only import into a folder of its own")
	}
	var out []*found
	file.profile, file.prefix = profile, id
	for _, h := range d.Hooks {
		if l.strange(file.path, id, &h) {
			continue
		}
		spec, err := l.scripts.registered(file.path, h, profile)
		if err != nil {
			return nil, err
		}
		if spec.description == "" && len(d.Kept) > 0 {
			spec.description = strict.Line(strings.Join(d.Kept, "; "))
		}
		f := scriptHook(src, file, h.ID)
		f.spec, f.index, f.said = spec, h.Index, h.ID
		if h.Place != "" {
			f.at = filepath.Join(cmp.Or(src.root, src.dir), filepath.FromSlash(h.Place))
		}
		if id != "" && len(d.Hooks) > 1 {
			f.spec.id = file.named(h.ID)
		} else if id != "" {
			f.spec.id = id
		}
		out = append(out, f)
	}
	return out, nil
}

// strange takes out the events of a plugin's hook that nobody knows: a plugin may be
// newer than we are. It reports whether none is left.
func (l *asker) strange(file, id string, h *script.Registered) bool {
	if h.Options["profile"] != hook.ProfileOpenClaw.Name {
		return false
	}
	names := eventNames(h.Options["on"])
	known := l.known()
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := known.Lookup(name)
		if err != nil && name != "*" {
			l.set.Warn(cmp.Or(h.Place, file), id, "nothing here fires "+name+": it is no event of OpenClaw that hookway knows; the handler is never called", "")
		}
		return err != nil && name != "*"
	})
	if len(left) < len(names) {
		h.Options["on"] = left
	}
	return len(left) == 0
}

// eventNames reads a name or a list of them.
func eventNames(on any) []string {
	switch v := on.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			if name, ok := one.(string); ok {
				out = append(out, name)
			}
		}
		return out
	}
	return nil
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

// expand puts the hooks that scripts register in the place of the entries that
// name the scripts.
func (l *asker) expand(ctx context.Context, la *layer) {
	var out []*found
	for _, f := range la.found {
		if f.spec.handler.kind != "script" || f.spec.keys["on"] != nil || f.script == nil {
			out = append(out, f)
			continue
		}
		if f.spec.disabled || !f.source.runs {
			f.unasked = true
			out = append(out, f)
			continue
		}
		list, err := l.askScript(ctx, f.source, f.script, f.spec.id, "")
		if err != nil {
			l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: f.spec.node.Line, Column: f.spec.node.Column, Hook: f.spec.id, Message: strict.Line(err.Error())})
			l.set.leaveOut(f)
			continue
		}
		l.twice(f)
		for _, one := range list {
			one.file, one.spec.node = f.file, f.spec.node
			one.spec.settings, one.spec.env, one.spec.needs = f.spec.settings, f.spec.env, f.spec.needs // a change of these is one of the hook
			if one.spec.description == "" {
				one.spec.description = f.spec.description
			}
		}
		out = append(out, list...)
	}
	la.found = out
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

// closed reports whether a failure of the hook blocks: then it must not be left out.
func (h *hookSpec) closed() bool {
	return h.keys["on"] != nil && (h.onFail == hook.FailClosed || h.onFail == hook.FailDefault && h.lane == hook.Guard)
}

// leaveOut leaves the hookway.yaml of a layer out: what it names has a mistake.
func (l *load) leaveOut(la *layer) {
	la.file = nil
	l.set.Failed = append(l.set.Failed, la.yaml.path)
}

// leaveOut notes that an entry of a hookway.yaml could not be used: what it was
// before runs on.
func (s *Set) leaveOut(f *found) {
	s.failedHooks = append(s.failedHooks, [2]string{f.file, f.spec.id})
}

// broken is the handler of an entry that cannot be asked.
type broken struct{ err error }

// Handle fails.
func (b broken) Handle(context.Context, hook.AnyEvent) (hook.Decision, error) {
	return hook.Decision{}, b.err
}

// ownScripts finds hookway.config.ts and relay.config.ts beside hookway.yaml.
func (l *files) ownScripts(into *layer, src source) {
	for _, name := range scriptNames {
		path := filepath.Join(src.dir, name)
		if isOwnScript(path) && !slices.Contains(into.named, path) {
			src.path = path
			into.folders = append(into.folders, &folderSource{source: src, scripts: []string{path}})
		}
	}
}

// relayHome is where agent-relay has the user's relay.config.ts, or "": it knows
// nothing of HOOKWAY_HOME.
func (l *files) relayHome() string {
	if l.opts.getenv("HOOKWAY_HOME") == "" {
		return filepath.Join(filepath.Dir(l.userDir), "agent-relay", relayScript)
	}
	dir := l.opts.getenv("XDG_CONFIG_HOME")
	if home := l.opts.home(); dir == "" && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "agent-relay", relayScript)
}

// relayScript finds the user's relay.config.ts where agent-relay has it.
func (l *files) relayScript(into *layer, src source) {
	src.path = l.relayHome()
	if src.path == "" {
		return
	}
	l.set.Watched = append(l.set.Watched, src.path) // there or not: it may appear
	if isOwnScript(src.path) {
		src.dir = filepath.Dir(src.path)
		into.folders = append(into.folders, &folderSource{source: src, scripts: []string{src.path}})
	}
}

// askScripts adds the hooks of the scripts of a folder, in the order of their names.
func (l *asker) askScripts(ctx context.Context, f *folderSource) {
	for _, path := range f.scripts {
		file := l.scripts.bundled[path]
		if file == nil {
			continue // its mistakes were told
		}
		if !f.runs {
			one := scriptHook(&f.source, file, filepath.Base(path))
			one.unasked = true
			f.found = append(f.found, one)
			continue
		}
		list, err := l.askScript(ctx, &f.source, file, "", f.profile)
		if err != nil {
			l.scripts.scriptProblems(cmp.Or(f.root, f.dir), path, err, "until it is mended, none of its hooks run")
			continue
		}
		f.found = append(f.found, list...)
	}
	slices.SortStableFunc(f.found, func(a, b *found) int { return strings.Compare(a.file, b.file) })
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
