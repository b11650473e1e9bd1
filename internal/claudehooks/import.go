package claudehooks

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// Readers are the agents that run hooks of Claude Code themselves, as the source of
// their events names them. Copilot CLI is not among them: it runs those of a workspace
// in its terminal and not with -p, which its events do not tell. Twice is better than
// not at all.
var Readers = []string{"claude"}

// MaxSources is how many places one layer can import hooks from: its settings files,
// and plugins.
const MaxSources = 3

// Scope is where settings hold. The later ones go before the earlier.
type Scope int

// The scopes of settings.
const (
	User Scope = iota
	Project
	Local
	Managed
)

// Import reads the hooks of Claude Code, which are those of settings files and of the
// plugins that these enable: first the user's, then the workspace's. Settle then
// switches off what all settings together switch off.
type Import struct {
	Dir       string // of the user's Claude Code, or ""
	Plugins   string // where it keeps plugins, or ""
	Managed   string // where an organisation keeps settings that hold for all
	Workspace string // its folder, or ""

	Known  func() *hook.Engine                               // has the events that hooks may be of
	Check  func(url string, headers map[string]string) error // says why a server cannot be asked
	Tools  func(file string, words []strict.Word)            // looks at what matchers name
	Pins   *trust.Pins                                       // of the workspace
	Report *strict.Report

	hooks      []*Hook
	disabled   map[Scope]bool    // disableAllHooks, by the scopes that say it
	plugins    map[string][]wish // by their ids
	loaded     []string          // plugins whose hooks are the user's, or everybody's
	managed    bool              // the managed settings are read
	onlyTheirs bool              // allowManagedHooksOnly
	registries map[string]*yaml.Node
	limits     map[Scope]Limits   // of servers, by the scopes that say them
	env        map[Scope][]string // variables, NAME=value each, by the scopes that set them
}

// Places are the folders of the user's Claude Code and of its plugins, or "".
func Places(getenv func(string) string, home string) (dir, plugins string) {
	if dir = getenv("CLAUDE_CONFIG_DIR"); !filepath.IsAbs(dir) {
		if dir = ""; home != "" {
			dir = filepath.Join(home, ".claude")
		}
	}
	if plugins = getenv("CLAUDE_CODE_PLUGIN_CACHE_DIR"); !filepath.IsAbs(plugins) {
		if plugins = ""; dir != "" {
			plugins = filepath.Join(dir, "plugins")
		}
	}
	return dir, plugins
}

// ManagedDir is where an organisation keeps settings of Claude Code that hold for all.
func ManagedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// Source is a file of settings, or a plugin, with its hooks.
type Source struct {
	Path, Dir string
	Rank      int // among the sources of a layer
	Managed   bool
	Hooks     []*Hook

	workspace bool
	scope     Scope
	prefix    string // of the ids of its hooks
}

// pins are those of the workspace, if the source is part of it.
func (i *Import) pins(s *Source) *trust.Pins {
	if s.workspace && !s.Managed {
		return i.Pins
	}
	return nil
}

// Files lists the settings files of a workspace, in the order of their hooks, or those of
// the user for "".
func (i *Import) Files(workspace string) (paths []string) {
	for _, s := range i.sources(workspace) {
		paths = append(paths, s.Path)
	}
	return paths
}

func (i *Import) sources(workspace string) []*Source {
	dir := filepath.Join(workspace, ".claude")
	switch {
	case workspace != "":
		return []*Source{{Path: filepath.Join(dir, "settings.json"), Dir: workspace, Rank: 1, workspace: true, scope: Project, prefix: "claude"},
			{Path: filepath.Join(dir, "settings.local.json"), Dir: workspace, Rank: 2, workspace: true, scope: Local, prefix: "claude-local"}}
	case i.Dir == "":
		return nil
	}
	return []*Source{{Path: filepath.Join(i.Dir, "settings.json"), Dir: filepath.Dir(i.Dir), Rank: 1, scope: User, prefix: "claude"}}
}

// Read reads the hooks of a workspace, or those of the user for "". A file that is no
// settings file is left out whole; the others are used. Managed settings come with the
// first that is read.
func (i *Import) Read(workspace string) []*Source {
	out := i.readManaged(workspace != "")
	scopes := []Scope{}
	for _, s := range i.sources(workspace) {
		if i.readFile(s) {
			out = append(out, s)
		}
		scopes = append(scopes, s.scope)
	}
	out = append(out, i.readPlugins(Source{workspace: workspace != ""}, scopes...)...)
	var hooks []*Hook
	for _, s := range out {
		hooks = append(hooks, s.Hooks...)
	}
	if i.hooks = append(i.hooks, hooks...); workspace != "" {
		i.setVariables(hooks, User, Project, Local, Managed)
	}
	return out
}

// readManaged reads the managed settings, for the first layer that imports hooks: they
// need no trust. Those of the folder managed-settings.d follow the file, by their names.
func (i *Import) readManaged(workspace bool) (out []*Source) {
	if i.managed {
		return nil
	}
	i.managed = true
	files := []string{filepath.Join(i.Managed, "managed-settings.json")}
	more := filepath.Join(i.Managed, "managed-settings.d")
	names, _ := disk.Names(more, trust.MaxListed) // there need be none
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			files = append(files, filepath.Join(more, name))
		}
	}
	for at, path := range files {
		s := &Source{Path: path, Dir: i.Managed, Managed: true, workspace: workspace, scope: Managed, prefix: "claude-managed"}
		if own := s.prefix + "/" + strings.TrimSuffix(filepath.Base(path), ".json"); at > 0 && strict.BadName(own) == "" {
			s.prefix = own
		}
		if i.readFile(s) {
			out = append(out, s)
		}
	}
	return append(out, i.readPlugins(Source{Managed: true, workspace: workspace}, Managed)...)
}

// readFile reads the hooks of one settings file. It reports whether there are some to use.
func (i *Import) readFile(s *Source) bool {
	i.Report.Watched = append(i.Report.Watched, s.Path)
	if !disk.Exists(s.Path) {
		return false
	}
	i.Report.Files = append(i.Report.Files, s.Path)
	check := trust.CheckOwner
	if s.workspace && !s.Managed {
		check = nil
	}
	var err error
	if check != nil {
		err = trust.CheckPath(filepath.Dir(s.Path))
	}
	var data []byte
	if err == nil {
		data, err = trust.Read(s.Path, strict.MaxFile, check, i.pins(s))
	}
	if err != nil {
		i.Report.Fail(s.Path, err.Error(), "")
		return false
	}
	r := &settings{Reader: strict.Reader{File: s.Path}, in: i, events: i.Known(), source: s, numbers: map[string]int{}}
	r.read(data)
	if problems := r.Problems.Sorted(); len(problems) > 0 { // it is not a settings file
		i.Report.Problems = append(i.Report.Problems, problems...)
		i.Report.Failed = append(i.Report.Failed, s.Path)
		return false
	}
	i.Tools(s.Path, r.tools)
	i.Report.Warnings = append(i.Report.Warnings, r.warnings...)
	i.note(s.scope, r)
	return true
}

// note takes what a file says of all hooks.
func (i *Import) note(scope Scope, s *settings) {
	if i.plugins == nil {
		i.plugins, i.disabled = map[string][]wish{}, map[Scope]bool{}
		i.limits, i.env = map[Scope]Limits{}, map[Scope][]string{}
	}
	if s.disabled != nil {
		i.disabled[scope] = *s.disabled
	}
	for id, w := range s.plugins {
		w.scope = scope
		i.plugins[id] = append(i.plugins[id], w)
	}
	i.env[scope] = append(i.env[scope], s.env...)
	limits := i.limits[scope]
	limits.Note(s.limits)
	i.limits[scope] = limits
	i.onlyTheirs = i.onlyTheirs || scope == Managed && s.onlyManaged
}

// Variables are those that scopes set, the later before the earlier.
func (i *Import) Variables(scopes ...Scope) (env []string) {
	for _, scope := range scopes {
		env = append(env, i.env[scope]...)
	}
	return env
}

// setVariables gives hooks what scopes set. A workspace's variables do not reach managed
// hooks.
func (i *Import) setVariables(hooks []*Hook, scopes ...Scope) {
	for _, h := range hooks {
		env := i.Variables(scopes...)
		if h.Managed {
			env = i.Variables(User, Managed)
		}
		if h.Env = slices.Concat(env, h.Own); h.Server != nil && len(env) > 0 {
			h.Server.Env = env
		}
	}
}

// Settle switches off what the settings of all layers together switch off, in Claude
// Code's order: managed settings go before a workspace's local ones, these before its
// shared ones, and these before the user's. What an untrusted workspace says does not
// count.
func (i *Import) Settle(trusted bool) {
	counts := func(scope Scope) bool { return scope == User || scope == Managed || trusted }
	off, who := false, Scope(-1)
	for scope, disabled := range i.disabled {
		if scope > who && counts(scope) {
			off, who = disabled, scope
		}
	}
	enabled := func(id string) bool {
		on, who := false, Scope(-1)
		for _, w := range i.plugins[id] {
			if w.scope >= who && counts(w.scope) {
				on, who = w.on, w.scope
			}
		}
		return on || who < 0
	}
	scopes := []Scope{User, Managed}
	if trusted {
		scopes = []Scope{User, Project, Local, Managed}
	}
	i.setVariables(slices.DeleteFunc(slices.Clone(i.hooks), func(h *Hook) bool { return h.workspace }), scopes...)
	for _, h := range i.hooks {
		h.Twice = h.workspace && !h.Managed && slices.Contains(i.loaded, h.Plugin)
		switch {
		case off && (!h.Managed || who == Managed), i.onlyTheirs && !h.Managed, h.Plugin != "" && !enabled(h.Plugin):
			h.Off = true
		case h.Server != nil && !h.Twice:
			i.limit(h, counts)
		}
	}
}

// limit keeps a hook's server to what settings allow: managed ones alone for managed
// hooks that they limit, else those of all files that count.
func (i *Import) limit(h *Hook, counts func(Scope) bool) {
	all := Limits{}
	for scope, limits := range i.limits {
		if counts(scope) && (!h.Managed || scope == Managed) {
			all.Note(limits)
		}
	}
	h.Server.Only, h.Server.Limited = all.Variables, all.Variables != nil
	if all.URLs != nil && !slices.ContainsFunc(all.URLs, func(p string) bool { return AllowsURL(p, h.URL) }) {
		h.Broken = fmt.Errorf("%s does not match any pattern of allowedHttpHookUrls in Claude Code's settings", strict.Clip(h.URL))
		i.Report.Warnings = append(i.Report.Warnings, strict.Problem{File: h.File, Line: h.At.Line, Column: h.At.Column, Hook: h.ID,
			Message: strict.Line(h.Broken.Error() + ", so it is not asked"), Hint: "add its url there"})
	}
}
