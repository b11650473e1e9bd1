package claudehooks

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// plugin is a plugin of Claude Code that settings enable.
type plugin struct {
	id   string // name@marketplace
	root string // its folder
	data string // where it may keep what it likes

	options []option
}

// wish is what a settings file says of a plugin.
type wish struct {
	on    bool
	file  string
	line  int
	scope Scope
}

// pluginID is how settings name a plugin.
var pluginID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9._-]*)$`)
})

// enabled reads enabledPlugins. A list of versions enables as true does.
func (s *settings) enabledPlugins(n *yaml.Node) {
	for _, p := range s.object(n, "enabledPlugins") {
		id := p.Key.Value
		if !pluginID().MatchString(id) {
			s.Fail(p.Key, "write \"name@marketplace\": true", "enabledPlugins: %q is not a plugin's id", strict.Line(id))
			continue
		}
		on := p.Value.Kind == yaml.SequenceNode || p.Value.Value == "true" && !strict.IsText(p.Value)
		if !on && p.Value.Value != "false" && p.Value.ShortTag() != "!!null" {
			s.Fail(p.Value, "write true or false", "enabledPlugins: %s must be true or false, not %s", id, strict.Describe(p.Value))
			continue
		}
		if s.plugins == nil {
			s.plugins = map[string]wish{}
		}
		s.plugins[id] = wish{on: on, file: s.File, line: p.Key.Line}
	}
}

// readPlugins reads the hooks of the plugins that settings of some scopes enable. like is
// a source of the layer.
func (i *Import) readPlugins(like Source, scopes ...Scope) (out []*Source) {
	for _, id := range slices.Sorted(maps.Keys(i.plugins)) {
		var named *wish
		for _, w := range i.plugins[id] {
			if w.on && slices.Contains(scopes, w.scope) {
				named = &w
			}
		}
		if named == nil {
			continue
		}
		p, why := i.findPlugin(id)
		if why != "" {
			i.Report.Warnings = append(i.Report.Warnings, strict.Problem{File: named.file, Line: named.line,
				Message: strict.Line(fmt.Sprintf("the plugin %s is enabled, and its hooks are missing: %s", id, why)), Hint: "install it in Claude Code, or set it to false"})
			continue
		}
		if !like.workspace || like.Managed {
			i.loaded = append(i.loaded, id)
		}
		s := like
		s.Path, s.Dir, s.Rank, s.prefix = p.root, p.root, MaxSources, "plugin:"+id
		i.readPlugin(&s, p)
		out = append(out, &s)
	}
	return out
}

// readPlugin reads the hooks of one plugin: hooks/hooks.json, and what its manifest
// and its marketplace name or have inline.
func (i *Import) readPlugin(from *Source, p plugin) {
	s := &settings{in: i, events: i.Known(), source: from, plugin: &p, numbers: map[string]int{}}
	manifest := filepath.Join(p.root, ".claude-plugin", "plugin.json")
	var says *yaml.Node
	if disk.Exists(manifest) {
		says = s.document(manifest)
	}
	p.options = s.optionsOf(says)
	done := map[string]bool{}
	standard := filepath.Join(p.root, "hooks", "hooks.json")
	if disk.Exists(standard) {
		done[standard] = true
		s.pluginFile(standard)
	}
	if says != nil {
		s.manifest(manifest, says, done)
	}
	if file, n := i.marketplaceHooks(p.id); n != nil {
		s.File = file
		s.leftOut(func() { s.inline(n) })
	}
	i.Report.Watched = append(i.Report.Watched, standard, manifest)
	i.Report.Warnings = append(i.Report.Warnings, s.warnings...)
	i.Tools(p.root, s.tools)
}

// manifest reads the hooks that a plugin's manifest names.
func (s *settings) manifest(path string, root *yaml.Node, done map[string]bool) {
	s.File = path
	for _, p := range s.object(root, "the manifest") {
		if p.Key.Value != "hooks" {
			continue
		}
		all := []*yaml.Node{p.Value}
		if p.Value.Kind == yaml.SequenceNode {
			all = p.Value.Content
		}
		for _, n := range all {
			if !strict.IsText(n) {
				s.leftOut(func() { s.inline(n) })
				continue
			}
			file := filepath.Join(s.plugin.root, filepath.FromSlash(n.Value))
			if rel, err := filepath.Rel(s.plugin.root, file); err != nil || !filepath.IsLocal(rel) {
				s.warn(n, fmt.Sprintf("the hooks in %q lie outside of the plugin, and are left out", strict.Line(n.Value)), "")
			} else if !disk.Exists(file) {
				s.warn(n, fmt.Sprintf("there is no file %s of hooks", n.Value), "")
			} else if !done[file] {
				done[file] = true
				s.pluginFile(file)
				s.File = path
			}
		}
	}
	s.toldOnly()
}

// pluginFile reads a file of a plugin's hooks.
func (s *settings) pluginFile(path string) {
	root := s.document(path)
	if root == nil {
		return
	}
	hooks := (*yaml.Node)(nil)
	for _, p := range s.object(root, "the file") {
		if p.Key.Value == "hooks" {
			hooks = p.Value
		} else if _, err := s.events.Lookup(p.Key.Value); err == nil && p.Value.Kind == yaml.SequenceNode {
			s.warn(p.Key, p.Key.Value+" stands beside \"hooks\", not in it; its hooks are left out", "write {\"hooks\": {\""+p.Key.Value+"\": […]}}")
		}
	}
	if hooks != nil {
		s.leftOut(func() { s.inline(hooks) })
	}
	s.toldOnly()
}

// inline reads hooks by their events, or an object that has them under hooks.
func (s *settings) inline(n *yaml.Node) {
	for _, event := range s.object(n, "hooks") {
		if event.Key.Value == "hooks" && event.Value.Kind == yaml.MappingNode {
			s.inline(event.Value)
			continue
		}
		s.event(event)
	}
}

// document reads a file of a plugin. What is wrong with it is told, and it has no hooks.
func (s *settings) document(path string) *yaml.Node {
	s.File = path
	s.in.Report.Files = append(s.in.Report.Files, path)
	err := trust.CheckPath(path)
	var data []byte
	if err == nil {
		data, err = trust.Read(path, strict.MaxFile, nil, s.in.pins(s.source))
	}
	if err != nil {
		s.warnings = append(s.warnings, strict.Problem{File: path, Message: strict.Line(err.Error()), Hint: "the hooks of the plugin " + s.plugin.id + " in it do not run"})
		return nil
	}
	root, problems := strict.JSON(path, data)
	s.Problems = append(s.Problems, problems...)
	s.toldOnly()
	return root
}

// toldOnly makes warnings of what was found wrong: a plugin takes out nothing but itself.
func (s *settings) toldOnly() {
	for _, p := range s.Problems {
		p.Message = "plugin " + s.plugin.id + ": " + p.Message
		s.warnings = append(s.warnings, p)
	}
	s.Problems = nil
}

// environ is what a plugin's hooks find in their environment.
func (p *plugin) environ() []string {
	out := []string{"CLAUDE_PLUGIN_ROOT=" + p.root, "CLAUDE_PLUGIN_DATA=" + p.data}
	for _, o := range p.options {
		out = append(out, o.variable()+"="+o.value)
	}
	return out
}

// dataName is a plugin's id as the name of a folder.
var dataName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]`) })

// findPlugin finds the folder of a plugin, or says why there is none.
func (i *Import) findPlugin(id string) (p plugin, why string) {
	dir := i.Plugins
	if dir == "" {
		return p, "the home folder is unknown"
	}
	parts := pluginID().FindStringSubmatch(id)
	p = plugin{id: id, data: filepath.Join(dir, "data", dataName().ReplaceAllString(id, "-"))}
	for _, root := range []string{i.installed(id), newestIn(filepath.Join(dir, "cache", parts[2], parts[1])), i.inMarketplace(id)} {
		if root != "" && disk.IsDir(root) {
			p.root = root
			return p, ""
		}
	}
	return p, "it is not installed: neither installed_plugins.json nor the cache in " + dir + " has it"
}

// newestIn is the version of a plugin in the cache that was put there last, or "".
func newestIn(dir string) string {
	names, err := disk.Names(dir, trust.MaxListed)
	if err != nil {
		return ""
	}
	if disk.Exists(filepath.Join(dir, ".claude-plugin")) || disk.Exists(filepath.Join(dir, "hooks")) {
		return dir
	}
	newest, when := "", int64(0)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.IsDir() && !strings.HasPrefix(name, ".") && (newest == "" || info.ModTime().UnixNano() >= when) {
			newest, when = path, info.ModTime().UnixNano()
		}
	}
	return newest
}

// installed is where installed_plugins.json says that a plugin lies, or "". Records
// for the workspace go before those for the user.
func (i *Import) installed(id string) string {
	best, rank := "", 0
	for _, record := range i.records(id) {
		path, scope, project := member(record, "installPath"), cmp.Or(member(record, "scope"), "user"), member(record, "projectPath")
		here := 0
		switch {
		case !filepath.IsAbs(path) || !disk.IsDir(path):
		case scope == "managed":
			here = 4
		case project != "" && i.Workspace != "" && project == i.Workspace:
			here = 3
		case scope == "user":
			here = 2
		case project == "":
			here = 1
		}
		if here > rank {
			best, rank = path, here
		}
	}
	return best
}

// records are what installed_plugins.json has of a plugin, of either version.
func (i *Import) records(id string) []*yaml.Node {
	entry := in(in(i.registry("installed_plugins.json"), "plugins"), id)
	switch {
	case entry == nil:
		return nil
	case entry.Kind == yaml.SequenceNode:
		return entry.Content
	}
	return []*yaml.Node{entry}
}
