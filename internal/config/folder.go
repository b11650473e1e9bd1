package config

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// folderSource is a hooks folder and the executables in it.
type folderSource struct {
	source
	profile string
	files   []string
	scripts []string
	found   []*found
}

// scan lists the hook folders of a layer. A missing one is fine.
func (l *files) scan(into *layer, src source, folders []folder) {
	src.rank += claudehooks.MaxSources // behind what the file of the layer imports
	for _, f := range folders {
		src.rank++
		src.path = filepath.Join(src.dir, filepath.FromSlash(f.path))
		names, err := l.names(src)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				l.set.Fail(src.path, "the hooks folder cannot be read: "+trust.Cause(err).Error(), "")
			}
			continue
		}
		if src.layer == LayerUser {
			if err := trust.CheckPath(src.path); err != nil {
				l.set.Fail(src.path, err.Error(), "until then none of the hooks in it run")
				continue
			}
		}
		found := &folderSource{source: src, profile: f.profile}
		for _, name := range names { // sorted
			path := filepath.Join(src.path, name)
			if !isCode(path, name) {
				continue
			}
			if bad := strict.BadName(name); bad != "" {
				l.set.Warn(path, "", "its name, which is the hook's id, "+bad+"; it is not used", "rename it")
			} else if isScript(path) {
				found.scripts = append(found.scripts, path)
			} else {
				found.files = append(found.files, path)
			}
		}
		into.folders = append(into.folders, found)
	}
}

// names lists a folder of hooks. One of a workspace must lie in it.
func (l *files) names(src source) ([]string, error) {
	if src.layer == LayerWorkspace {
		if _, err := disk.Root(src.dir).Real(src.path); err != nil {
			return nil, err
		}
	}
	return disk.Names(src.path, trust.MaxPinnedFiles)
}

// notCode are the extensions of files that lie beside hooks and are none, even
// where the file system calls everything executable.
var notCode = []string{".md", ".txt", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".lock", ".log", ".example", ".sample", ".disabled", ".bak", ".orig", ".tmp", ".pyc", ".map"}

// isCode reports whether an entry of a hooks folder is meant as a hook.
func isCode(path, name string) bool {
	if strings.HasPrefix(name, ".") || isDeclaration(name) || strings.HasPrefix(name, "_") || strings.HasSuffix(name, "~") ||
		slices.Contains(notCode, strings.ToLower(filepath.Ext(name))) {
		return false
	}
	upper := strings.ToUpper(name)
	if upper == "README" || upper == "LICENSE" || upper == "LICENCE" || upper == "MAKEFILE" {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || !info.IsDir() // what cannot be looked at is worth a warning
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
			l.set.Failed = append(l.set.Failed, f.files[i])
		} else {
			f.found = append(f.found, answers[i])
		}
	}
}

// unasked is an executable that may not be run, not even to ask it.
func (f *folderSource) unasked(file string) *found {
	return &found{
		spec:   &hookSpec{id: filepath.Base(file), node: &yaml.Node{}, handler: handlerSpec{kind: "command"}},
		source: &f.source, file: file, command: commandLine{argv: []string{file}, files: []string{file}},
		unasked: true,
	}
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
	c := command.Config{Argv: argv, Dir: f.dir, Project: l.workspace, Log: l.opts.Log, Env: quietPython}
	cache := filepath.Join(l.stateDir, "describe", describeKey(file, hashed.Value, argv)+".json")
	d, err := l.describe(ctx, cache, file, c)
	if err != nil {
		return nil, noAnswer{err}
	}
	out := f.unasked(file)
	out.command.argv, out.env, out.unasked = argv, quietPython, false
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

// quietPython keeps Python from writing its cache into a hooks folder, which
// would count as a change of what was trusted.
var quietPython = []string{"PYTHONDONTWRITEBYTECODE=1"}

// described turns what an executable says into a hook, by the rules of hookway.yaml.
func (l *asker) described(f *folderSource, file string, d command.Description) (*hookSpec, error) {
	m := map[string]any{"id": filepath.Base(file), "on": d.Events, "command": []string{file}}
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

// readSpec reads a hook that is written as JSON.
func (l *load) readSpec(file string, data []byte) (*hookSpec, error) {
	root, problems := strict.Document(file, data)
	if len(problems) == 0 {
		r, spec := &reader{Reader: strict.Reader{File: file}}, &fileSpec{}
		r.readHook(root, spec)
		for _, h := range spec.hooks {
			r.Hook = ""
			r.finish(h, l.known())
		}
		if problems = r.Problems; len(problems) == 0 {
			h := spec.hooks[0]
			h.node = &yaml.Node{} // it has no line
			return h, nil
		}
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, strings.TrimSpace(p.Message+". "+p.Hint))
	}
	return nil, errors.New(strings.Join(texts, "; "))
}
