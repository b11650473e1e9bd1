package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/wasm"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

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
			l.unread(src.layer, l.userDir)
			l.set.Fail(l.userDir, "it cannot be read: "+disk.Cause(err).Error(), "")
		}
		return
	}
	if err := trust.CheckOwner(l.userDir, info); err != nil {
		l.unread(src.layer, l.userDir)
		l.set.Fail(l.userDir, err.Error(), "until then none of the user's hooks run")
		return
	}
	l.readFile(&l.user, src, "", trust.CheckOwner)
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
		l.readFile(&l.work, src, l.opts.File, nil)
		return
	}
	l.readFile(&l.work, src, "", nil)
	l.ownScripts(&l.work, src)
	l.scan(&l.work, src, workspaceFolders)
	l.scripts.bundleFolders(&l.work)
}

// readOwn reads, for trust, the user's hookway.yaml: its hooks of Claude Code and the
// variables of the user's settings meet those of the workspace. Mistakes there are told
// elsewhere.
func (l *files) readOwn() {
	if trust.CheckPath(l.userDir) == nil {
		l.readYAML(&l.user, source{layer: LayerUser, dir: l.userDir, home: l.opts.otherHome(), runs: true, rank: 10}, "", trust.CheckOwner)
		l.set.Report = strict.Report{}
	}
}

// readFile reads the hookway.yaml of a layer, and what it names.
func (l *files) readFile(into *layer, src source, named string, check func(string, fs.FileInfo) error) {
	l.readYAML(into, src, named, check)
	l.scripts.nameScripts(into)
	l.authorities(into)
	l.credentials(into)
	l.modules(into)
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
			l.unread(src.layer, other)
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
		l.unread(src.layer, path)
		l.set.Fail(path, err.Error(), "")
		return
	}
	spec, problems := parse(path, data, l.known())
	problems = append(problems, l.foreign(src, path, spec)...)
	src.path = path
	into.file, into.yaml = spec, &src
	l.set.Settings.hide(spec.redact)
	if src.layer != LayerWorkspace { // a mistake elsewhere must not switch it off
		l.set.Approvals.PIN = l.set.Approvals.PIN || spec.approvals != nil && spec.approvals.pin || spec.unread && bytes.Contains(data, []byte("approvals")) && bytes.Contains(data, []byte(requirePIN))
	}
	for _, h := range spec.hooks {
		f := &found{spec: h, source: into.yaml, file: path, command: h.command(src.dir)}
		into.found = append(into.found, f)
	}
	if len(problems) > 0 {
		l.unread(src.layer, path)
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
	l.checkNames(path, spec)
	l.checkBudgets(path, spec.tokens)
	if spec.audit != nil && src.layer != LayerUser {
		l.set.Warnings = append(l.set.Warnings, Problem{File: path, Line: spec.audit.node.Line, Column: spec.audit.node.Column,
			Message: "audit says nothing here: the log is the user's", Hint: "put it into the user's configuration, " + filepath.Join(l.userDir, fileName)})
	}
	defer l.importHooks(into, spec) // when its events are known
	l.defineEvents(spec)
}

// unread notes a file whose word on approvals is not known. A workspace has none.
func (l *files) unread(layer, path string) {
	if layer != LayerWorkspace {
		l.set.Approvals.Unread = path
	}
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
				l.set.Fail(src.path, "the hooks folder cannot be read: "+disk.Cause(err).Error(), "")
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

// importHooks adds the hooks that a hookway.yaml imports.
func (l *files) importHooks(into *layer, spec *fileSpec) {
	if !slices.Contains(spec.imports, importClaude) {
		return
	}
	l.claude.Workspace = l.workspace
	for _, s := range l.claude.Read(claudeFolder(into.yaml)) {
		from := *into.yaml
		from.path, from.dir, from.rank = s.Path, s.Dir, from.rank+s.Rank
		if s.Managed {
			from.layer, from.root, from.runs = LayerUser, "", true
		} else {
			into.imports = append(into.imports, &from)
		}
		for _, h := range s.Hooks {
			into.found = append(into.found, imported(&from, h))
		}
	}
}

// settleImports takes over what the settings of all layers together say of each hook.
func (l *files) settleImports() {
	l.claude.Settle(l.set.Trust.State.Runs())
	for _, la := range []*layer{&l.user, &l.work} {
		la.found = slices.DeleteFunc(la.found, func(f *found) bool { return f.spec.claude != nil && f.spec.claude.Twice })
		for _, f := range la.found {
			if h := f.spec.claude; h != nil {
				f.spec.disabled, f.spec.env, f.broken = h.Off, h.Env, h.Broken
			}
		}
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

// credentials reads the files that a layer's gRPC servers name. In a workspace
// they are part of what is trusted.
func (l *files) credentials(la *layer) {
	for _, f := range la.found {
		s := f.spec.handler.rpc
		if s == nil || len(s.files) == 0 || f.spec.disabled {
			continue
		}
		if at, err := l.readCredentials(f, s); err != nil {
			l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: at.Line, Column: at.Column, Hook: f.spec.id,
				Message: strict.Line(err.Error()), Hint: "it starts from the folder of this file"})
			l.leaveOut(la)
		}
	}
}

func (l *files) readCredentials(f *found, s *rpcSpec) (at *yaml.Node, err error) {
	check := l.ownerCheck(f.source.layer)
	for _, file := range s.files {
		data, err := l.read(*f.source, shell.Under(f.source.dir, file.Text), check)
		if err == nil && len(data) == 0 {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return file.Node, fmt.Errorf("%s: %w", file.key, err)
		}
		*file.into(s.TLS) = data
	}
	return s.files[0].Node, s.Check()
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

// modules reads the modules that a layer names. In a workspace they are part of
// what is trusted.
func (l *files) modules(la *layer) {
	for _, f := range la.found {
		named := f.spec.handler.wasm
		if named == nil || f.spec.disabled {
			continue
		}
		check := l.ownerCheck(f.source.layer)
		path := shell.Under(f.source.dir, named.Text)
		l.set.Watched = append(l.set.Watched, path) // the user's is watched too
		m, err := l.module(*f.source, path, check)
		if err == nil {
			f.module = m
			continue
		}
		p := Problem{File: f.file, Line: named.Node.Line, Column: named.Node.Column, Hook: f.spec.id, Message: strict.Line("wasm: " + path + ": " + err.Error())}
		if !disk.Exists(path) {
			p.Message, p.Hint = "there is no module "+path, "create it or correct the name; it starts from the folder of this file"
		}
		l.set.Problems = append(l.set.Problems, p)
		l.leaveOut(la)
	}
}

// module reads one; what may run is what is hashed.
func (l *files) module(src source, path string, check func(string, fs.FileInfo) error) (*wasm.Module, error) {
	data, err := trust.Read(path, wasm.MaxFile, check, l.pins(src))
	if err != nil {
		return nil, err
	}
	return wasm.Parse(path, data)
}

// authorities reads the certificates that a layer's servers name. In a workspace
// they are part of what is trusted.
func (l *files) authorities(la *layer) {
	for _, f := range la.found {
		w := f.spec.handler.web
		if w == nil || w.ca == nil || f.spec.disabled {
			continue
		}
		check := l.ownerCheck(f.source.layer)
		data, err := l.read(*f.source, shell.Under(f.source.dir, w.ca.Text), check)
		if err == nil && len(data) == 0 {
			err = errors.New("the file is empty")
		}
		if err == nil {
			w.CA = data
			err = w.Check()
		}
		if err != nil {
			l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: w.ca.Node.Line, Column: w.ca.Node.Column, Hook: f.spec.id,
				Message: strict.Line("ca: " + err.Error()), Hint: "it starts from the folder of this file"})
			l.leaveOut(la)
		}
	}
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

// claudeFolder is the folder with a workspace's settings, or "" for the user's.
func claudeFolder(src *source) string {
	if src.layer == LayerWorkspace {
		return src.dir
	}
	return ""
}

// imported is a hook of Claude Code as one of ours.
func imported(src *source, h *claudehooks.Hook) *found {
	profile := hook.ProfileClaude
	spec := &hookSpec{
		node: h.Node, id: h.ID, events: []*hook.EventInfo{h.Event}, match: h.Match, profile: &profile, timeout: &h.Timeout, onFail: h.OnFailure, claude: h,
		env: h.Env, handler: handlerSpec{kind: h.Kind, shell: h.Shell, argv: h.Argv},
	}
	if h.Name != h.Event.Name {
		spec.told = map[string]string{h.Event.Name: h.Name}
	}
	if h.Background {
		spec.lane = hook.Observe
	}
	f := &found{spec: spec, source: src, file: h.File, broken: h.Broken}
	if h.Server != nil {
		spec.handler.web = &webSpec{Config: web.Config{URL: h.URL, Headers: h.Server.Headers, AllowLoopback: true}, url: h.At}
		return f
	}
	f.command = spec.command(src.dir)
	return f
}
