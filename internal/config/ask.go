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
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// wrappedIn is Wrapped, and the layer that says it.
type wrappedIn struct {
	Wrapped
	layer string
}

// asker finds out what executables and scripts want.
type asker struct {
	*load
	scripts  *scripts
	memories *memories
	idle     []float64   // idle thresholds that scripts set, in milliseconds
	wrapped  []wrappedIn // what scripts say of the session
	plugins  []plugged
}

// plugged is a plugin that was read.
type plugged struct{ id, hook, path string }

// askFolders asks the executables of all folders that run what they want, side
// by side, and adds them in the order of their names.
func (l *asker) askFolders(ctx context.Context) {
	limit := DefaultMaxHooks
	for _, la := range []*layer{&l.user, &l.work} {
		if la.file != nil && la.yaml.runs && la.file.maxHooks != nil {
			limit = *la.file.maxHooks
		}
		for _, f := range la.folders {
			f.limit(l, limit)
			l.askFolder(ctx, f)
			l.askScripts(ctx, f)
		}
	}
}

// limit leaves out the hooks that are too many, the last by name.
func (f *folderSource) limit(l *asker, limit int) {
	all := slices.Concat(f.files, f.scripts)
	if len(all) <= limit {
		return
	}
	l.set.Warn(f.path, "", fmt.Sprintf("the folder has %d hooks; the first %d by name are used", len(all), limit), "raise max_hooks in hookway.yaml, or take some out")
	slices.Sort(all)
	gone := func(path string) bool { return slices.Contains(all[limit:], path) }
	f.files, f.scripts = slices.DeleteFunc(f.files, gone), slices.DeleteFunc(f.scripts, gone)
}

// maxAsked bounds how many executables are asked at once.
const maxAsked = 8

func (l *asker) askFolder(ctx context.Context, f *folderSource) {
	answers := make([]*found, len(f.files))
	errs := make([]error, len(f.files))
	var all sync.WaitGroup
	slots := make(chan struct{}, maxAsked)
	for i, file := range f.files {
		if !f.runs {
			answers[i] = f.unasked(file)
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			answers[i], errs[i] = l.ask(ctx, f, file)
		})
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			hint := ""
			if errors.As(err, new(noAnswer)) {
				hint = askedAgain
			}
			p := strict.ToldOf(f.files[i], cmp.Or(f.root, f.dir), err.Error())
			p.Hint = hint
			l.set.Warnings = append(l.set.Warnings, p)
			l.set.Skipped = append(l.set.Skipped, p)
			if profile, err := hook.ParseProfile(f.profile); err == nil && profile.FailOpen {
				l.set.PassedOver = append(l.set.PassedOver, p)
			}
			l.set.Failed = append(l.set.Failed, f.files[i])
		} else {
			f.found = append(f.found, answers[i])
		}
	}
}

// describe asks an executable for its events, unless it was asked before. That
// it has no answer is kept as well: one that hangs would hold up each command
// for as long as it may take.
func (l *asker) describe(ctx context.Context, cache, file string, c command.Config) (command.Description, error) {
	if d, ok := readDescription(cache, file); ok {
		return d.Description, d.failed()
	}
	if l.opts.Still {
		return command.Description{}, errors.New("what it wants is not known, and it is not run to be asked")
	}
	d := described{Modified: modified(file)}
	answer, err := command.Describe(ctx, c)
	switch {
	case err != nil && ctx.Err() != nil: // nobody waited for the answer
		return answer, err
	case err != nil:
		d.Failure = strict.Line(err.Error())
	default:
		d = described{Description: answer}
	}
	l.keepDescription(cache, d)
	return answer, d.failed()
}

// keepDescription caches an answer. Without a state folder it is asked again.
func (l *asker) keepDescription(path string, d described) {
	data, err := json.Marshal(d)
	if err == nil {
		err = errors.Join(trust.PrivateDir(l.stateDir), os.MkdirAll(filepath.Dir(path), 0o700))
	}
	if err == nil {
		err = disk.ReplaceUnsynced(path, data, 0o600)
	}
	if err != nil && l.opts.Log != nil {
		l.opts.Log.Warn("a hook's description could not be kept: " + err.Error())
	}
	prune(filepath.Dir(path))
}

// ask finds out what runs a file, and which events it wants.
func (l *asker) ask(ctx context.Context, f *folderSource, file string) (*found, error) {
	if f.layer == LayerUser {
		if err := trust.CheckPath(file); err != nil {
			return nil, err
		}
	}
	argv, err := command.Interpreter(ctx, file)
	if err != nil {
		return nil, err
	}
	hashed, err := l.hashed(file)
	if err != nil {
		return nil, err
	}
	c := command.Config{Argv: argv, Dir: f.dir, Project: l.workspace, Log: l.opts.Log, Env: f.environ("describe")}
	cache := filepath.Join(l.stateDir, "describe", describeKey(file, hashed.Value, argv)+".json")
	d, err := l.describe(ctx, cache, file, c)
	if err != nil {
		return nil, noAnswer{err}
	}
	out := f.unasked(file)
	out.command.argv, out.env, out.unasked = argv, f.environ("execute"), false
	if out.spec, err = l.described(f, file, d); err != nil {
		return nil, err
	}
	return out, nil
}

// hashed is a file's pin. What the workspace was trusted for is what is asked.
func (l *asker) hashed(file string) (trust.Pin, error) {
	known, ok := l.pinned.Files[file]
	if info, err := os.Stat(file); ok && err == nil && known.Info != nil && trust.SameFile(known, info) {
		return known, nil
	}
	now, err := trust.HashFile(file)
	if err == nil && ok && now.Value != known.Value {
		err = fmt.Errorf("%s changed while it was read; run the command again", file)
	}
	return now, err
}

// described turns what an executable says into a hook, by the rules of hookway.yaml.
func (l *asker) described(f *folderSource, file string, d command.Description) (*hookSpec, error) {
	events, err := staged(d)
	if err != nil {
		return nil, err
	}
	m := map[string]any{"id": filepath.Base(file), "on": events, "command": []string{file}}
	set := func(name string, value any, given bool) {
		if given {
			m[name] = value
		}
	}
	profile := d.Profile
	if profile == "" {
		profile = f.profile
	}
	set("description", d.Description, d.Description != "")
	set("lane", d.Lane, d.Lane != "")
	set("async", true, d.Async)
	set("on_failure", d.OnFailure, d.OnFailure != "")
	set("mode", d.Mode, d.Mode != "")
	set("needs", d.Needs, len(d.Needs) > 0)
	set("profile", profile, profile != "")
	set("match", d.Match, d.Match != nil)
	set("priority", d.Priority, d.Priority != nil)
	set("max_retries", d.MaxRetries, d.MaxRetries != nil)
	if d.Timeout != nil {
		m["timeout"] = d.Timeout.String()
	}
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%s: its description cannot be read: %w", file, err)
	}
	spec, err := l.readSpec(file, data)
	if err != nil {
		return nil, fmt.Errorf("its description is wrong: %w", err)
	}
	return spec, nil
}

// stages are those of an agent's work that acai names: what is before and after each.
var stages = map[string][2]string{"agent": {"agent-start", "agent-stop"}, "step": {"step-start", "step-stop"}, "tool-call": {"tool-call-start", "tool-call-end"}}

// staged are the events of a description; a stage with its timing is an event.
func staged(d command.Description) ([]string, error) {
	at := slices.Index([]string{"before", "after"}, strings.ToLower(d.Timing))
	if at < 0 && d.Timing != "" {
		return nil, fmt.Errorf("its description is wrong: timing is %q; it is before or after", d.Timing)
	}
	events := slices.Clone(d.Events)
	for i, name := range events {
		if stage, ok := stages[name]; ok && at >= 0 {
			events[i] = stage[at]
		}
	}
	return events, nil
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
	if len(d.Hooks) == 0 && (d.Settings["wrap"] != nil || d.Settings["name"] != nil || d.Settings["configures"] != nil) {
		return nil, nil // it only names the session, or says what hookway's own hooks do
	}
	if len(d.Hooks) == 0 {
		if d.Default {
			return nil, errors.New("its default function is not a hook yet: it does not say which events it wants; write export const on = [\"PreToolUse\"], or name the file under script: in hookway.yaml, with the events under on")
		}
		return nil, errors.New("it registers no hook; export a default function with export const on = [\"PreToolUse\"], or put what hooks only import into a folder of its own")
	}
	var out []*found
	file.profile, file.prefix = profile, id
	file.plugin, _ = d.Settings["plugin"].(string)
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
			l.set.Warn(cmp.Or(h.Place, file), id, "nothing here fires "+name+": it is not an event of OpenClaw that hookway knows; the handler is never called", "")
		}
		return err != nil && name != "*"
	})
	if len(left) < len(names) {
		h.Options["on"] = left
	}
	return len(left) == 0
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
			if f.spec.trial != nil {
				one.spec.trial = f.spec.trial
			}
		}
		out = append(out, list...)
	}
	la.found = out
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

// twice warns of a plugin that is there already: both run.
func (l *asker) twice(f *found) {
	id := f.script.plugin
	if f.script.bundle.Plugin != nil {
		id = cmp.Or(f.script.bundle.Plugin.ID, id)
	}
	if id == "" {
		return
	}
	if slices.ContainsFunc(l.plugins, func(other plugged) bool { return other.id == id && other.path != f.script.path }) {
		i := slices.IndexFunc(l.plugins, func(other plugged) bool { return other.id == id && other.path != f.script.path })
		l.set.Warn(f.place(), f.spec.id, fmt.Sprintf("its plugin has the id %s, as that of %s (%s) has; both run", id, l.plugins[i].hook, l.plugins[i].path), "take one of them out if they are the same plugin")
	}
	l.plugins = append(l.plugins, plugged{id, f.spec.id, f.script.path})
}

// askWrapped takes what a script says of the session.
func (l *asker) askWrapped(src *source, file *scriptFile, settings map[string]any) {
	w := Wrapped{File: file.path}
	w.Name, _ = settings["name"].(string)
	list, _ := settings["wrap"].([]any)
	for _, word := range list {
		text, _ := word.(string)
		w.Line = append(w.Line, text)
	}
	if len(w.Line) > 0 && src.layer == LayerWorkspace && l.opts.File == "" && !toldByText(file.bundle, w.Line) {
		why, hint := fmt.Sprintf("relay.wrap names %s, which trust could not see in the text; hookway run does not run it", hookLine(w.Line)), "write it as plain text, as in relay.wrap('claude'), or name it: hookway run -- PROGRAM"
		l.set.Warn(file.path, "", why, hint)
		w.Line, l.set.Wrapped.Left = nil, file.path+": "+why+"; "+hint
	}
	if src.layer == LayerWorkspace && l.opts.File == "" && l.dir != l.workspace && namesFiles(l.readLine(w.Line)) {
		w.From = l.workspace
	}
	if w.Name != "" || len(w.Line) > 0 {
		l.wrapped = append(l.wrapped, wrappedIn{w, src.layer})
	}
}

// settleWrapped chooses among what scripts say of the session: the workspace's before
// the user's, the first file before others.
func (l *asker) settleWrapped() {
	said := &l.set.Wrapped
	for _, layer := range []string{LayerWorkspace, LayerUser} {
		for _, w := range l.wrapped {
			switch {
			case w.layer != layer:
				continue
			case len(w.Line) > 0 && len(said.Line) > 0 && !slices.Equal(w.Line, said.Line) && layer == l.layerOf(said.File):
				l.set.Warn(w.File, "", fmt.Sprintf("relay.wrap names %s, and %s names %s, which goes first", hookLine(w.Line), said.File, hookLine(said.Line)), "")
			}
			said.Name = cmp.Or(said.Name, w.Name)
			if len(said.Line) == 0 {
				said.Line, said.File, said.From = w.Line, w.File, w.From
			}
		}
	}
}

// layerOf is the layer of a file that says something of the session.
func (l *asker) layerOf(file string) string {
	at := slices.IndexFunc(l.wrapped, func(w wrappedIn) bool { return w.File == file })
	return l.wrapped[max(at, 0)].layer
}

// unasked is an executable that may not be run, not even to ask it.
func (f *folderSource) unasked(file string) *found {
	return &found{
		spec:   &hookSpec{id: filepath.Base(file), node: &yaml.Node{}, handler: handlerSpec{kind: "command"}},
		source: &f.source, file: file, command: commandLine{argv: []string{file}, files: []string{file}},
		unasked: true,
	}
}

// quietPython keeps Python from writing its cache into a hooks folder, which
// would count as a change of what was trusted.
var quietPython = []string{"PYTHONDONTWRITEBYTECODE=1"}

// environ is what a program of the folder finds in its environment beside the rest.
// acai's other programs are told by TOOL_ACTION what is wanted.
func (f *folderSource) environ(action string) []string {
	if f.profile != hook.ProfileAcai.Name {
		return quietPython
	}
	return append(slices.Clone(quietPython), "TOOL_ACTION="+action)
}

// toldByText reports whether the program stands in the text of a script, or trust has
// asked about what does not.
func toldByText(b *script.Bundle, line []string) bool {
	plain, computed := b.Wraps()
	return computed || slices.ContainsFunc(plain, func(words []string) bool { return slices.Equal(words, line) })
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

// scriptHook is the hook of a file that may not be run, not even to ask it.
func scriptHook(src *source, file *scriptFile, id string) *found {
	return &found{
		spec:   &hookSpec{id: id, node: &yaml.Node{}, handler: handlerSpec{kind: "script"}},
		source: src, file: file.path, script: file, index: script.Main,
	}
}

// namesFiles reports whether a line means one thing in one folder, and another in
// another.
func namesFiles(r shell.Reading) bool {
	return slices.ContainsFunc(slices.Concat(r.Runs, r.Sources, r.Reads), func(n shell.Name) bool {
		return filepath.IsAbs(n.Path) && n.Script == "" && !filepath.IsAbs(n.Word) && !strings.HasPrefix(n.Word, "~")
	})
}

func hookLine(words []string) string { return strict.Line(strings.Join(words, " ")) }
