package config

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/handler/wasm"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/trust"
)

// inHome writes a home into the path patterns of a match that begin with "~/".
// The pattern as it was stays beside it, since an agent may write "~/" too, which
// is read as this process's home; but not where a match is what lets pass.
func inHome(m hook.Match, home string, negated bool) hook.Match {
	if home == "" {
		return m
	}
	var paths []string
	for _, pattern := range m.Path {
		rest, ok := strings.CutPrefix(pattern, "~/")
		if ok {
			paths = append(paths, home+"/"+rest)
		}
		if !ok || !negated {
			paths = append(paths, pattern)
		}
	}
	m.Path = paths
	m.Any, m.All = slices.Clone(m.Any), slices.Clone(m.All)
	for i := range m.Any {
		m.Any[i] = inHome(m.Any[i], home, negated)
	}
	for i := range m.All {
		m.All[i] = inHome(m.All[i], home, negated)
	}
	if m.Not != nil {
		inner := inHome(*m.Not, home, !negated)
		m.Not = &inner
	}
	return m
}

// source is one place that hooks come from: a hookway.yaml or a hooks folder.
type source struct {
	layer  string
	path   string // the file or folder
	dir    string // where relative names start from
	root   string // where path patterns start from
	home   string // what ~/ means in them, if not what it means to this process
	pinned bool   // its commands run only while they are as they were trusted
	runs   bool   // its hooks may run
	rank   int    // in the order of registration
}

func (s *source) state(h *hookSpec) State {
	switch {
	case h.disabled:
		return Disabled
	case !s.runs:
		return Untrusted
	}
	return Active
}

// shown is a file of a source as a listing has it.
func (s *source) shown(path string) string {
	if rel, err := filepath.Rel(s.dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// layer is what was read of the user's configuration or the workspace.
type layer struct {
	file    *fileSpec
	yaml    *source
	broken  *memorySpec // of a file with mistakes
	found   []*found
	imports []*source // settings.json files of Claude Code
	folders []*folderSource
	named   []string // scripts that the file names
}

// sources lists the places of a layer.
func (la *layer) sources() []*source {
	var out []*source
	if la.yaml != nil {
		out = append(out, la.yaml)
	}
	out = append(out, la.imports...)
	for _, f := range la.folders {
		out = append(out, &f.source)
	}
	return out
}

// folderSource is a hooks folder and the executables in it.
type folderSource struct {
	source
	profile string
	files   []string
	scripts []string
	found   []*found
}

// scriptFile is a script that hooks are made of, bundled once for a load.
type scriptFile struct {
	path    string
	bundle  *script.Bundle
	program *script.Program
	late    *lateHooks
	grants  []script.Grant
	seen    bool   // nothing says what it may do: that is what trust has seen in it
	trial   *bool  // what is said of all its hooks: they are monitored, or not
	profile string // of hooks that name none
	prefix  string // of the ids of its hooks; "" keeps them
	plugin  string // what it is called as a plugin, if it is one
}

// named is the id of one of several hooks of the file.
func (f *scriptFile) named(id string) string {
	if f.prefix == "" {
		return id
	}
	return f.prefix + "/" + strings.TrimPrefix(id, strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))+"/")
}

// found is a hook that was read, with what is needed to build it.
type found struct {
	spec    *hookSpec
	source  *source
	file    string // the hookway.yaml or the executable
	command commandLine
	node    []string // the files that Node takes in for its script
	forNode nodeFiles
	env     []string // besides the spec's
	script  *scriptFile
	module  *wasm.Module
	unasked bool   // only the file itself could say what it wants, and it may not run
	index   int    // of the hook in the script
	said    string // its id in the script, if that registers it
	late    *script.Late
	broken  error  // it cannot be asked
	at      string // place of the hook in the script, if it says so itself
}

// same is equal for hooks of Claude Code of which it runs one: the same command, or
// server, on the same condition, whatever else is said of them.
func (f *found) same() string {
	c := f.spec.claude
	switch {
	case c == nil:
		return ""
	case c.Server != nil:
		return fmt.Sprintf("%q %v %q %q %+v", c.URL, c.Server.Headers, c.Server.Allowed, c.Rule, c.Filter)
	}
	return fmt.Sprintf("%q %q %q %q %+v", f.command.shell, f.command.argv, c.Rule, f.spec.env, c.Filter)
}

// place is where the hook is written.
func (f *found) place() string {
	if f.at != "" {
		return f.at
	}
	if f.spec.node == nil || f.spec.node.Line == 0 {
		return f.file
	}
	return fmt.Sprintf("%s:%d", f.file, f.spec.node.Line)
}

// registration is the hook without its handler and id.
func (f *found) registration() hook.Hook {
	h := f.spec
	var options []hook.Option
	if h.every {
		options = append(options, hook.For("*"))
	}
	for _, info := range h.events {
		options = append(options, hook.For(info.Name))
	}
	if h.profile != nil {
		options = append(options, hook.WithProfile(*h.profile))
	}
	if h.priority != nil {
		options = append(options, hook.Priority(*h.priority))
	}
	if h.timeout != nil {
		options = append(options, hook.Timeout(*h.timeout))
	}
	if h.override {
		options = append(options, hook.Override())
	}
	if h.trial != nil && *h.trial {
		options = append(options, hook.Monitored())
	}
	options = append(options, hook.Matching(inHome(h.match, f.source.home, false)), hook.As(h.lane), hook.Retries(h.retries),
		hook.OnFailure(h.onFail), hook.Queue(h.queue), hook.Root(f.source.root), hook.Origin(f.place()))
	out := hook.New("", nil, options...)
	out.Name = h.description
	return out
}

// config is how the hook's command is run.
func (f *found) config(project string, log *slog.Logger) command.Config {
	c := command.Config{
		Argv: f.command.argv, Shell: f.command.shell, Worker: f.spec.worker, Needs: f.spec.needs, Project: project,
		Env: append(append([]string(nil), f.env...), f.spec.env...), EventNames: f.spec.told, Log: log,
	}
	if f.spec.cwd != "" {
		c.Dir = shell.Under(f.source.dir, f.spec.cwd)
	}
	if f.spec.profile != nil {
		c.Profile = *f.spec.profile
	}
	return c
}

// shown is the command as a listing has it.
func (f *found) shown() string {
	if f.command.shell != "" {
		return f.command.shell
	}
	words := make([]string, len(f.command.argv))
	for i, w := range f.command.argv {
		words[i] = shell.Quote(w)
	}
	return strings.Join(words, " ")
}

// reading reads the hook's command.
func (f *found) reading(r shell.Reader) shell.Reading {
	if f.spec.handler.shell != nil {
		return r.Line(f.spec.handler.shell.Text)
	}
	var words []string
	for _, e := range f.spec.handler.argv {
		words = append(words, e.Text)
	}
	return r.Words(words)
}

// environment is what a hook adds to its environment.
func (f *found) environment() map[string]string { return trust.AsMap(f.spec.env) }

// asksNode reports whether an imported hook runs Node: its line has the word node, or
// a file that says in its first line that Node runs it.
func (f *found) asksNode() bool {
	if f.spec.claude == nil || f.spec.handler.kind != "command" || runtime.GOOS == "windows" {
		return false
	}
	words := f.command.argv
	if f.command.shell != "" {
		words = shell.Split(f.command.shell)
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "node" || slices.Contains([]string{".js", ".mjs", ".cjs"}, filepath.Ext(w))
	})
}

// closed reports whether a failure of the hook blocks: then it must not be left out.
func (h *hookSpec) closed() bool {
	return h.keys["on"] != nil && (h.onFail == hook.FailClosed || h.onFail == hook.FailDefault && h.lane == hook.Guard)
}

// command resolves a hook's command. dir is the folder of its file.
func (h *hookSpec) command(dir string) commandLine {
	r := resolver{dirs: []string{dir}}
	if h.cwd != "" {
		r.dirs = append(r.dirs, shell.Under(dir, h.cwd))
	}
	if h.handler.shell != nil {
		line := h.handler.shell.Text
		return r.shell(line)
	}
	var words []string
	for _, e := range h.handler.argv {
		words = append(words, e.Text)
	}
	return r.list(words)
}

// readsLine reads what relay.wrap names as a shell would.
func readsLine(words []string) func(shell.Reader) shell.Reading {
	return func(r shell.Reader) shell.Reading {
		if len(words) == 1 {
			return r.Line(words[0])
		}
		return r.Words(words)
	}
}
