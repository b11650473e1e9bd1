package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// load is what all steps of one load know: where it looks, what is trusted, and the set
// that it fills.
type load struct {
	opts      Options
	dir       string // where the workspace was looked for
	userDir   string
	workspace string
	store     trust.Store
	stateDir  string
	trust     trust.File // as it was read, once

	pinned  trust.Pins // of the workspace
	set     *Set
	managed layer
	user    layer
	work    layer
	claude  *claudehooks.Import
}

func newLoad(opts Options) (*load, error) {
	dir, err := opts.dir()
	if err != nil {
		return nil, err
	}
	userDir, stateDir, err := opts.places()
	if err != nil {
		return nil, err
	}
	l := &load{opts: opts, dir: dir, userDir: userDir, stateDir: stateDir, store: trust.Store{Dir: stateDir}}
	l.workspace = workspaceOf(dir, userDir)
	if opts.File != "" {
		file, err := opts.absolute(opts.File)
		if err != nil {
			return nil, fmt.Errorf("the file %s cannot be found: %w", opts.File, err)
		}
		if l.opts.File, err = filepath.EvalSymlinks(file); err != nil {
			return nil, fmt.Errorf("the file %s cannot be used: %w", opts.File, disk.Cause(err))
		}
		l.workspace = l.project(filepath.Dir(l.opts.File))
	}
	l.set = &Set{Workspace: l.workspace, UserDir: userDir, native: opts.Native, Trust: trust.Status{State: trust.None}}
	l.pinned.Root, l.pinned.Home = l.workspace, opts.getenv("HOME")
	l.pinned.Loose = func(place, id, word string) {
		l.set.Warn(place, id, "this command runs files that are not pinned by trust: "+word,
			"name each file that it runs, by its path from the folder of this file")
	}
	l.claude = l.importer()
	l.set.dir, l.set.stateDir, l.set.named = dir, stateDir, l.opts.File
	l.set.userAsk, l.set.managedAsk = hook.ActionBlock, hook.ActionBlock
	l.set.Approvals = Approvals{Hold: HoldAuto, Timeout: DefaultApprovalTimeout}
	l.set.Settings = Settings{AskFallback: hook.ActionBlock, MaxContinues: hook.DefaultMaxContinues, MaxHooks: DefaultMaxHooks, IdleThreshold: DefaultIdleThreshold}
	return l, nil
}

// importer reads Claude Code's hooks into the set.
func (l *load) importer() *claudehooks.Import {
	i := &claudehooks.Import{
		Managed: l.opts.managedClaude, Known: l.known, Tools: l.checkTools, Pins: &l.pinned, Report: &l.set.Report,
		Check: func(url string, headers map[string]string) error {
			return (&web.Config{URL: url, Headers: headers, AllowLoopback: true}).Check()
		},
	}
	if i.Dir, i.Plugins = claudehooks.Places(l.opts.getenv, l.opts.home()); i.Managed == "" {
		i.Managed = claudehooks.ManagedDir()
	}
	return i
}

// readSpec reads a hook that is written as JSON.
func (l *load) readSpec(file string, data []byte) (*hookSpec, error) {
	root, problems := strict.Document(file, data)
	if len(problems) == 0 {
		r := &reader{Reader: strict.Reader{File: file}}
		h := r.readHook(root)
		if h != nil {
			r.finish(h, l.known())
		}
		if problems = r.Problems; len(problems) == 0 {
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

// readTrust reads what is trusted. What nobody may rely on trusts nothing.
func (l *load) readTrust() {
	var err error
	if l.trust, err = l.store.Read(); err != nil {
		l.set.Fail(l.store.Path(), err.Error(), "until then no workspace is trusted")
		l.set.lost = l.store.Path() + " cannot be relied on"
	} else if !disk.Exists(l.store.Path()) {
		l.set.lost = l.store.Path() + " is gone"
	}
	l.set.entries = l.trust.Workspaces
}

// passOver goes to the nearest folder, from where we work upwards, that the user
// has trusted, if there is one. A folder with hooks of its own that nobody trusted,
// which anybody may make, is no way to be rid of the guards above it; nor is it to
// remove the hooks of a trusted one, which then has changed.
func (l *load) passOver() {
	if l.opts.File != "" || l.opts.getenv("HOOKWAY_TRUST") == "1" {
		return
	}
	ws := l.dir
	for _, ok := l.trust.Workspaces[ws]; !ok; _, ok = l.trust.Workspaces[ws] {
		if ws == filepath.Dir(ws) {
			return
		}
		ws = filepath.Dir(ws)
	}
	if nearer := l.workspace; nearer != "" && nearer != ws && disk.Inside(ws, nearer) {
		l.set.Warn(nearer, "", "this workspace is nearer, but it was never trusted; the hooks of "+ws+" are used instead",
			"look at its hooks, then run hookway trust in it to use them in place of those")
	}
	l.workspace, l.set.Workspace, l.pinned.Root = ws, ws, ws
}

// project is the folder that hooks of a file that the user named are about: the
// file's own if we work in it, else the workspace that we work in, else where we are.
func (l *load) project(folder string) string {
	if rel, err := filepath.Rel(folder, l.dir); err == nil && filepath.IsLocal(rel) {
		return folder
	}
	if l.workspace != "" {
		return l.workspace
	}
	return l.dir
}

// known gives an engine with the events that the next file may name.
func (l *load) known() *hook.Engine {
	e := new(hook.Engine)
	_ = l.set.define(e) // a native event of a name that is taken is that event
	return e
}

// defineEvents makes the events of a file known to those that are read after it.
func (l *load) defineEvents(f *fileSpec) {
	for _, e := range f.events {
		known := false
		for _, old := range l.set.events {
			known = known || old.Name == e.name
		}
		if !known {
			l.set.events = append(l.set.events, e.info())
		}
	}
}

// pins are those of the workspace, if a source is part of it.
func (l *load) pins(src source) *trust.Pins {
	if src.layer == LayerWorkspace {
		return &l.pinned
	}
	return nil
}

// read reads a configuration once; what is parsed is what is hashed.
func (l *load) read(src source, path string, check func(string, fs.FileInfo) error) ([]byte, error) {
	return trust.Read(path, strict.MaxFile, check, l.pins(src))
}

// dirs are the folders from which names of a hook's command start, for trust.
func (l *load) dirs(f *found) []string {
	out := []string{f.source.dir}
	if f.spec.cwd != "" {
		out = append(out, shell.Under(f.source.dir, f.spec.cwd))
	}
	if !slices.Contains(out, l.workspace) {
		out = append(out, l.workspace)
	}
	return out
}

// tellGraphQLRelay says of the files of GraphQL Relay, from where we work up to the
// workspace, that they are passed over.
func (l *load) tellGraphQLRelay() {
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, relayScript); isGraphQLRelay(path) {
			l.set.Warn(path, "", "it configures GraphQL's Relay, not agent-relay, and is passed over",
				"nothing is to be done; hooks of agent-relay in it are found when it imports agent-relay or has patterns or hooks")
		}
		if dir == l.workspace || dir == filepath.Dir(dir) {
			return
		}
	}
}

// leaveOut leaves the hookway.yaml of a layer out: what it names has a mistake.
func (l *load) leaveOut(la *layer) {
	la.file = nil
	l.set.Failed = append(l.set.Failed, la.yaml.path)
}

// settled reports whether the workspace may be read in full. If nobody trusts it,
// or it is not as it was trusted, and only what is trusted shall be parsed, then
// what is known of it without that is in the set, and nothing more is done.
func (l *load) settled() bool {
	if l.workspace == "" || !l.opts.TrustedOnly || l.opts.File != "" || l.opts.getenv("HOOKWAY_TRUST") == "1" {
		return true
	}
	l.set.Trust.Workspace = l.workspace
	entry, ok := l.trust.Workspaces[l.workspace]
	if !ok {
		if l.hasHooks() {
			l.set.Unread, l.set.Trust.State = true, trust.Missing
		}
		return false
	}
	now := l.standing(entry)
	l.pinned.Known = now.Files
	status := l.trust.Status(l.workspace, now.Manifest)
	if status.State == trust.Given || l.brokenYAML(status.Changes) {
		return true
	}
	l.set.Unread, l.set.Trust = true, status
	now.Home, now.Loose = l.pinned.Home, l.pinned.Loose
	l.pinned = now // a change back is noticed
	return false
}

// hasHooks reports whether there is anything in the workspace that could run.
func (l *load) hasHooks() bool {
	for _, m := range markers {
		path := filepath.Join(l.workspace, filepath.FromSlash(m.path))
		if !m.dir && disk.Exists(path) && !isGraphQLRelay(path) {
			return true
		}
		if m.dir {
			if names, err := disk.Names(path, 1); len(names) > 0 || err != nil && disk.Exists(path) {
				return true
			}
		}
	}
	return false
}

// standing is what the files are now that were trusted. What was added to the
// folders of hooks is there by name alone.
func (l *load) standing(entry trust.Entry) trust.Pins {
	now := trust.Pins{Root: l.workspace}
	for name, was := range entry.Files {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.workspace, path)
		}
		if strings.HasPrefix(was, "sha256:") && disk.Exists(path) || was == "unreadable" {
			now.Add(path)
		}
	}
	for _, name := range slices.Concat(scriptNames, []string{fileName, fileNameYML}) {
		if path := filepath.Join(l.workspace, name); disk.Exists(path) && entry.Files[name] == "" && !isGraphQLRelay(path) {
			now.Put(trust.Pin{Path: path, Value: "new"})
		}
	}
	for _, f := range workspaceFolders {
		folder := trust.Pins{Root: l.workspace, Known: now.Files, Only: entry.Files, Hashed: now.Hashed}
		folder.AddFolder(filepath.Join(l.workspace, filepath.FromSlash(f.path)))
		for _, p := range folder.Files {
			now.Put(p)
		}
		now.Hashed = folder.Hashed
	}
	return now
}

// brokenYAML reports whether hookway.yaml alone has changed, and has a mistake: a
// bad file does not disable the hooks of a good one.
func (l *load) brokenYAML(changes []trust.Change) bool {
	if len(changes) != 1 || changes[0].Kind != "changed" || changes[0].Path != fileName && changes[0].Path != fileNameYML {
		return false
	}
	path := filepath.Join(l.workspace, changes[0].Path)
	data, err := disk.Read(path, strict.MaxFile)
	if err != nil {
		return true
	}
	_, problems := parse(path, data, l.known())
	return len(problems) > 0
}

// checkTools warns of matchers that name a tool as an agent does: events have the
// one name that hookway gives it, whichever agent calls it.
func (l *load) checkTools(file string, words []strict.Word) {
	if l.opts.ToolNames == nil {
		return
	}
	for _, w := range words {
		for name := range strings.SplitSeq(w.Text, "|") {
			name = strings.TrimSpace(name)
			if known, ok := l.opts.ToolNames(name); ok && known != name {
				l.set.Warnings = append(l.set.Warnings, Problem{
					File: file, Line: w.Node.Line, Column: w.Node.Column, Hook: w.Hook,
					Message: fmt.Sprintf("the tool %q is known here as %s, under every agent", strict.Clip(name), known),
					Hint:    "write " + known,
				})
			}
		}
	}
}

// checkBudgets warns of tokens that budgets count under agents that tell none. A program of
// one's own may tell them.
func (l *load) checkBudgets(file string, tokens []strict.Word) {
	for _, w := range tokens {
		message, hint := "only Codex and Gemini CLI tell their tokens: under other agents this budget counts none", "give the others calls or minutes"
		if w.Text != "" {
			message, hint = fmt.Sprintf("%s tells no tokens, only Codex and Gemini CLI do: this budget counts none", strict.Clip(w.Text)), "give it calls or minutes"
		}
		if w.Text == "" || slices.Contains(l.opts.Agents, w.Text) && !guards.TellsTokens(w.Text) {
			l.set.Warnings = append(l.set.Warnings, Problem{File: file, Line: w.Node.Line, Column: w.Node.Column, Message: message, Hint: hint})
		}
	}
}

// checkNames warns of names of sources and of agents that are nearly one of ours. It can
// be no mistake: a program calls itself what it likes, and a person a session.
func (l *load) checkNames(file string, f *fileSpec) {
	for _, of := range []struct {
		words   []strict.Word
		names   []string
		edits   int
		message string
	}{
		{words: f.sources, names: l.opts.Sources, edits: 1, message: "no event of hookway's own has the source %q"},
		{words: f.agents, names: l.opts.Agents, message: "no agent that hookway knows is called %q"},
	} {
		for _, w := range of.words {
			if strings.ContainsAny(w.Text, `*?[{\`) || slices.Contains(of.names, w.Text) {
				continue
			}
			if near := hook.NearestWithin(len(hook.Normal(w.Text))/3+of.edits, w.Text, of.names); near != "" && alike(strings.ToLower(w.Text), near) {
				l.set.Warnings = append(l.set.Warnings, Problem{
					File: file, Line: w.Node.Line, Column: w.Node.Column, Hook: w.Hook,
					Message: fmt.Sprintf(of.message, strict.Clip(w.Text)), Hint: fmt.Sprintf("did you mean %s?", near),
				})
			}
		}
	}
}

func (l *load) readLine(words []string) shell.Reading {
	return readsLine(words)(l.pinned.Equipped(shell.Reader{Dirs: []string{l.workspace}}))
}
