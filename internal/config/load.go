package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

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

	pinned trust.Pins // of the workspace
	set    *Set
	user   layer
	work   layer
	claude *claudehooks.Import
}

// loader has the steps of one load, in the order in which they are taken.
type loader struct {
	*load
	scripts  *scripts
	files    *files
	pinner   *pinner
	asker    *asker
	builder  *builder
	memories *memories
}

func newLoader(opts Options) (*loader, error) {
	base, err := newLoad(opts)
	if err != nil {
		return nil, err
	}
	l := &loader{load: base, scripts: &scripts{load: base}, memories: &memories{load: base}}
	l.files = &files{load: base, scripts: l.scripts}
	l.pinner = &pinner{load: base, scripts: l.scripts}
	l.asker = &asker{load: base, scripts: l.scripts, memories: l.memories}
	l.builder = &builder{load: base, scripts: l.scripts}
	l.scripts.late = l.builder.buildLate
	return l, nil
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

// Load finds and reads the configuration. Mistakes in files are no error: they
// are the set's Problems, and each file that has one is left out whole while the
// others are used. The error means that nothing could be looked for at all. The
// set must be closed.
//
// Executables in hook folders that run are asked for their events, once for each
// version of them; the context bounds that.
func Load(ctx context.Context, opts Options) (*Set, error) {
	l, err := newLoader(opts)
	if err != nil {
		return nil, err
	}
	if opts.Environ != nil {
		ctx = command.WithEnviron(ctx, opts.Environ)
	}
	defer l.scripts.closePrograms()
	l.readTrust()
	l.passOver()
	l.tellGraphQLRelay()
	l.files.readUser()
	if l.settled() {
		l.files.readWorkspace()
		l.pinner.pinWorkspace()
		l.judge()
	}
	l.files.settleImports()
	l.asker.expand(ctx, &l.user)
	l.asker.expand(ctx, &l.work)
	l.asker.askFolders(ctx)
	l.assemble(ctx)
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the configuration was cancelled: %w", err), l.set.Close())
	}
	return l.set, nil
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
			return nil, fmt.Errorf("the file %s cannot be used: %w", opts.File, trust.Cause(err))
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
	l.set.Settings = Settings{AskFallback: hook.ActionBlock, MaxContinues: hook.DefaultMaxContinues, MaxHooks: DefaultMaxHooks, IdleThreshold: DefaultIdleThreshold}
	return l, nil
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

// files reads what is written: hookway.yaml, what it names, and what lies in folders.
type files struct {
	*load
	scripts *scripts
}

// readUser reads the user's configuration, if it is the user's alone.
func (l *files) readUser() {
	src := source{layer: LayerUser, dir: l.userDir, home: l.opts.otherHome(), runs: true, rank: 10}
	l.relayScript(&l.user, src)
	defer l.scripts.bundleFolders(&l.user)
	info, err := os.Stat(l.userDir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.set.Fail(l.userDir, "it cannot be read: "+trust.Cause(err).Error(), "")
		}
		return
	}
	if err := trust.CheckOwner(l.userDir, info); err != nil {
		l.set.Fail(l.userDir, err.Error(), "until then none of the user's hooks run")
		return
	}
	l.readYAML(&l.user, src, "", trust.CheckOwner)
	l.scripts.nameScripts(&l.user)
	l.authorities(&l.user)
	l.credentials(&l.user)
	l.modules(&l.user)
	l.ownScripts(&l.user, src)
	l.scan(&l.user, src, userFolders)
}

// readWorkspace reads the workspace, and hashes all that it could run.
func (l *files) readWorkspace() {
	if l.workspace == "" {
		return
	}
	src := source{layer: LayerWorkspace, dir: l.workspace, root: l.workspace, home: l.opts.otherHome(), rank: 20}
	if l.opts.File != "" {
		src.dir = filepath.Dir(l.opts.File)
		if isScript(l.opts.File) {
			src.path = l.opts.File
			l.set.Files = append(l.set.Files, l.opts.File)
			l.work.folders = append(l.work.folders, &folderSource{source: src, scripts: []string{l.opts.File}})
			l.scripts.bundleFolders(&l.work)
			return
		}
		l.readYAML(&l.work, src, l.opts.File, nil)
		l.scripts.nameScripts(&l.work)
		l.authorities(&l.work)
		l.credentials(&l.work)
		l.modules(&l.work)
		return
	}
	l.readYAML(&l.work, src, "", nil)
	l.scripts.nameScripts(&l.work)
	l.authorities(&l.work)
	l.credentials(&l.work)
	l.modules(&l.work)
	l.ownScripts(&l.work, src)
	l.scan(&l.work, src, workspaceFolders)
	l.scripts.bundleFolders(&l.work)
}

// pinWorkspace hashes all that the workspace could run.
func (l *pinner) pinWorkspace() {
	if l.workspace == "" || l.opts.File != "" {
		return
	}
	for _, f := range workspaceFolders {
		l.pinned.AddFolder(filepath.Join(l.workspace, filepath.FromSlash(f.path)))
	}
	l.readCommands()
	for _, u := range l.pinned.Unread {
		said := func(p Problem) bool { return p.File == u.Path }
		asked := func(f *folderSource) bool { return slices.Contains(f.files, u.Path) } // then that fails
		if !slices.ContainsFunc(l.set.Warnings, said) && !slices.ContainsFunc(l.set.Problems, said) && !slices.ContainsFunc(l.work.folders, asked) {
			l.set.Warn(u.Path, "", strict.Line(strings.TrimPrefix(u.Err.Error(), u.Path+" ")), "")
		}
	}
}

// readYAML reads the hookway.yaml of a folder, or the named file.
func (l *files) readYAML(into *layer, src source, named string, check func(string, fs.FileInfo) error) {
	path := named
	if path == "" {
		path = filepath.Join(src.dir, fileName)
		other := filepath.Join(src.dir, fileNameYML)
		switch _, err := os.Lstat(path); {
		case !disk.Exists(other):
		case err == nil:
			l.set.Fail(other, "there is a "+fileName+" beside it; this one is not read", "make one file of the two")
			if src.layer == LayerWorkspace {
				l.pinned.Add(other)
			}
		default:
			path = other
		}
	}
	if !disk.Exists(path) {
		return
	}
	l.set.Files = append(l.set.Files, path)
	data, err := l.read(src, path, check)
	if err != nil {
		l.set.Fail(path, err.Error(), "")
		return
	}
	spec, problems := parse(path, data, l.known())
	if spec.gateway != nil && src.layer != LayerUser {
		problems = append(problems, l.foreignGateway(path, spec.gateway))
	}
	if spec.relay != nil && src.layer != LayerUser {
		problems = append(problems, l.foreignRelay(path, spec.relay))
	}
	src.path = path
	into.file, into.yaml = spec, &src
	l.set.Settings.hide(spec.redact)
	for _, h := range spec.hooks {
		f := &found{spec: h, source: into.yaml, file: path, command: h.command(src.dir)}
		into.found = append(into.found, f)
	}
	if len(problems) > 0 {
		l.set.Problems = append(l.set.Problems, problems...)
		l.set.Failed = append(l.set.Failed, path)
		l.set.Failed = append(l.set.Failed, l.claude.Files(claudeFolder(&src))...) // what it imports is not known now
		into.file, into.broken = nil, spec.memory
		if spec.unread && bytes.Contains(data, []byte("memory")) { // what it says of that is not known
			into.broken = &memorySpec{}
		}
		return
	}
	l.checkTools(path, spec.tools)
	l.checkSources(path, spec.sources)
	if spec.audit != nil && src.layer != LayerUser {
		l.set.Warnings = append(l.set.Warnings, Problem{File: path, Line: spec.audit.node.Line, Column: spec.audit.node.Column,
			Message: "audit says nothing here: the log is the user's", Hint: "put it into the user's configuration, " + filepath.Join(l.userDir, fileName)})
	}
	defer l.importHooks(into, spec) // when its events are known
	l.defineEvents(spec)
}
