package config

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// Claude Code keeps hooks of its own in settings.json. With `import: claude` they
// run here, under every agent but itself, where they would run twice.

// importClaude is the word for Claude Code's hooks.
const importClaude = "claude"

// claudeReaders are the agents that run imported hooks themselves, as the source
// of their events names them. Copilot CLI is none: it runs those of a workspace in
// its terminal and not with -p, which its events do not tell. Twice is better than
// not at all.
var claudeReaders = []string{"claude"}

// maxImports is how many places one layer can import hooks from: its settings files,
// and plugins.
const maxImports = 3

// claudeFile is one of Claude Code's settings files.
type claudeFile struct {
	path   string
	prefix string // of the ids of its hooks
	scope  int
}

// claudeImport is what the settings of all layers say together.
type claudeImport struct {
	disabled   map[int]bool      // disableAllHooks, by the scopes that say it
	plugins    map[string][]wish // by their ids
	loaded     []string          // plugins whose hooks are the user's, or everybody's
	managed    bool              // the managed settings are read
	onlyTheirs bool              // allowManagedHooksOnly
	theirs     []*found          // hooks of managed settings and of the plugins that these enable
	registries map[string]*yaml.Node
	limits     map[int]claudehooks.Limits // of servers, by the scopes that say them
	env        map[int][]string           // variables, NAME=value each, by the scopes that set them
}

// claudeDir is the folder of the user's Claude Code, or "".
func (l *loader) claudeDir() string {
	if dir := l.opts.getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	if home := l.opts.home(); home != "" {
		return filepath.Join(home, ".claude")
	}
	return ""
}

// claudeFiles lists the files of a layer, in the order of their hooks. Of those
// in a workspace the later one's settings go before the earlier one's.
func (l *loader) claudeFiles(src source) []claudeFile {
	if src.layer == LayerWorkspace {
		dir := filepath.Join(src.dir, ".claude")
		return []claudeFile{{filepath.Join(dir, "settings.json"), "claude", scopeProject}, {filepath.Join(dir, "settings.local.json"), "claude-local", scopeLocal}}
	}
	dir := l.claudeDir()
	if dir == "" {
		return nil
	}
	return []claudeFile{{filepath.Join(dir, "settings.json"), "claude", scopeUser}}
}

// importHooks reads the hooks that a hookway.yaml imports: those of settings files
// and of the plugins that these enable. A file that is no settings file is left out
// whole; the others are used.
func (l *loader) importHooks(into *layer, src source, spec *fileSpec, check func(string, fs.FileInfo) error) {
	if !slices.Contains(spec.imports, importClaude) {
		return
	}
	l.importManaged(into, src)
	scopes := []int{}
	for i, f := range l.claudeFiles(src) {
		from := src
		from.path, from.rank = f.path, src.rank+1+i
		if src.layer == LayerUser {
			from.dir = filepath.Dir(filepath.Dir(f.path))
		}
		into.found = append(into.found, l.importFile(into, from, f, check)...)
		scopes = append(scopes, f.scope)
	}
	l.importPlugins(into, src, scopes...)
	if src.layer == LayerWorkspace {
		l.setVariables(into.found, scopeUser, scopeProject, scopeLocal, scopeManaged)
	}
}

// variables reads the variables of a session.
func (s *settings) variables(n *yaml.Node) {
	for _, p := range s.object(n, "env") {
		switch value, ok := optionText(p.Value); {
		case !ok || p.Value.Kind != yaml.ScalarNode:
			s.Fail(p.Value, "", "env: %s must be a text, not %s", strict.Clip(p.Key.Value), strict.Describe(p.Value))
		case p.Key.Value == "" || strings.ContainsAny(p.Key.Value, "=\x00"):
			s.Fail(p.Key, "", "env: %q is no name of a variable", strict.Clip(p.Key.Value))
		default:
			s.env = append(s.env, p.Key.Value+"="+value)
		}
	}
}

// setVariables gives the hooks of settings what scopes set, the later before the
// earlier. A workspace's variables do not reach managed hooks.
func (l *loader) setVariables(all []*found, scopes ...int) {
	for _, f := range all {
		if !f.ofClaude() {
			continue
		}
		env := l.claude.variables(scopes...)
		if slices.Contains(l.claude.theirs, f) {
			env = l.claude.variables(scopeUser, scopeManaged)
		}
		if len(env) == 0 {
			continue
		}
		f.spec.env = slices.Concat(env, f.spec.env) // a plugin's own variables are its own
		if w := f.spec.handler.web; w != nil && w.claude != nil {
			w.claude.Env = env
		}
	}
}

// variables are those that scopes set, the later before the earlier.
func (c *claudeImport) variables(scopes ...int) (env []string) {
	for _, scope := range scopes {
		env = append(env, c.env[scope]...)
	}
	return env
}

// ofClaude reports whether a hook comes from Claude Code's settings.
func (f *found) ofClaude() bool {
	return f.spec.profile != nil && f.spec.profile.Name == hook.ProfileClaude.Name
}

// importFile reads the hooks of one settings file.
func (l *loader) importFile(into *layer, from source, f claudeFile, check func(string, fs.FileInfo) error) []*found {
	l.set.imported = append(l.set.imported, f.path)
	if !disk.Exists(f.path) {
		return nil
	}
	l.set.Files = append(l.set.Files, f.path)
	var err error
	if check != nil {
		err = checkPath(filepath.Dir(f.path), check)
	}
	var data []byte
	if err == nil {
		data, err = l.readFile(from, f.path, check)
	}
	if err != nil {
		l.problem(f.path, err.Error(), "")
		return nil
	}
	s := &settings{reader: reader{Reader: strict.Reader{File: f.path}}, loader: l, known: l.known(), prefix: f.prefix, source: &from, numbers: map[string]int{}}
	s.read(data)
	if problems := s.Problems.Sorted(); len(problems) > 0 { // it is no settings file
		l.set.Problems = append(l.set.Problems, problems...)
		l.set.failed = append(l.set.failed, f.path)
		return nil
	}
	into.imports = append(into.imports, &from)
	l.checkTools(f.path, s.tools)
	l.set.Warnings = append(l.set.Warnings, s.warnings...)
	l.claude.note(f.scope, s)
	return s.found
}

// note takes what a file says of all hooks.
func (c *claudeImport) note(scope int, s *settings) {
	if c.plugins == nil {
		c.plugins, c.disabled = map[string][]wish{}, map[int]bool{}
	}
	if s.disabled != nil {
		c.disabled[scope] = *s.disabled
	}
	for id, w := range s.plugins {
		w.scope = scope
		c.plugins[id] = append(c.plugins[id], w)
	}
	if c.limits == nil {
		c.limits, c.env = map[int]claudehooks.Limits{}, map[int][]string{}
	}
	c.env[scope] = append(c.env[scope], s.env...)
	limits := c.limits[scope]
	limits.Note(s.limits)
	c.limits[scope] = limits
	c.onlyTheirs = c.onlyTheirs || scope == scopeManaged && s.onlyManaged
}

// settleImports switches off what the settings of all layers together switch off, in
// Claude Code's order: managed settings go before a workspace's local ones, these
// before its shared ones, and these before the user's. What an untrusted workspace
// says does not count.
func (l *loader) settleImports() {
	off, who := false, -1
	for scope, disabled := range l.claude.disabled {
		if scope > who && l.counts(scope) {
			off, who = disabled, scope
		}
	}
	enabled := func(id string) bool {
		on, who := false, -1
		for _, w := range l.claude.plugins[id] {
			if w.scope >= who && l.counts(w.scope) {
				on, who = w.on, w.scope
			}
		}
		return on || who < 0
	}
	scopes := []int{scopeUser, scopeManaged}
	if l.set.Trust.State.Runs() {
		scopes = []int{scopeUser, scopeProject, scopeLocal, scopeManaged}
	}
	l.setVariables(l.user.found, scopes...)
	l.work.found = slices.DeleteFunc(l.work.found, func(f *found) bool { // the user has enabled it, too
		return f.source.layer == LayerWorkspace && slices.Contains(l.claude.loaded, f.plugin)
	})
	for _, f := range slices.Concat(l.user.found, l.work.found) {
		if !f.ofClaude() {
			continue
		}
		theirs := slices.Contains(l.claude.theirs, f)
		switch {
		case off && (!theirs || who == scopeManaged), l.claude.onlyTheirs && !theirs, f.plugin != "" && !enabled(f.plugin):
			f.spec.disabled = true
		case f.spec.handler.kind == "http":
			l.limit(f, theirs)
		}
	}
}

// counts reports whether what the settings of a scope say counts.
func (l *loader) counts(scope int) bool {
	return scope == scopeUser || scope == scopeManaged || l.set.Trust.State.Runs()
}

// settings reads one settings.json. Keys that are not about hooks, and what a
// newer Claude Code adds to hooks, are none of our business.
type settings struct {
	reader
	loader   *loader
	known    *hook.Engine
	prefix   string
	source   *source
	plugin   *claudePlugin  // whose file it is, or nil
	numbers  map[string]int // of hooks so far, by event
	found    []*found
	warnings Problems

	disabled    *bool // disableAllHooks, if it is said
	onlyManaged bool  // allowManagedHooksOnly
	plugins     map[string]wish
	limits      claudehooks.Limits
	env         []string
}

func (s *settings) read(data []byte) {
	root, problems := strict.JSON(s.File, data)
	if s.Problems = problems; root == nil {
		return
	}
	for _, p := range s.object(root, "the file") {
		switch p.Key.Value {
		case "disableAllHooks":
			if v, ok := s.Boolean(p.Value, "disableAllHooks"); ok {
				s.disabled = &v
			}
		case "allowManagedHooksOnly":
			s.leftOut(func() { s.onlyManaged, _ = s.Boolean(p.Value, "allowManagedHooksOnly") })
		case "allowedHttpHookUrls":
			s.limits.URLs = []string{} // a list that cannot be read allows nothing
			s.leftOut(func() { s.limits.URLs = s.texts(p.Value, p.Key.Value) })
		case "httpHookAllowedEnvVars":
			s.limits.Variables = []string{}
			s.leftOut(func() { s.limits.Variables = s.texts(p.Value, p.Key.Value) })
		case "env":
			s.leftOut(func() { s.variables(p.Value) })
		case "enabledPlugins":
			s.leftOut(func() { s.enabledPlugins(p.Value) })
		case "hooks":
			if p.Value.Kind != yaml.MappingNode {
				s.object(p.Value, "hooks")
				continue
			}
			s.leftOut(func() {
				for _, event := range s.object(p.Value, "hooks") {
					s.event(event)
				}
			})
		}
	}
}

// leftOut reads a part of the file whose mistakes are its own: they take out no
// other, and are told.
func (s *settings) leftOut(read func()) {
	before := len(s.Problems)
	read()
	for _, p := range s.Problems[before:] {
		p.Message += "; it is left out"
		s.warnings = append(s.warnings, p)
	}
	s.Problems = s.Problems[:before]
}

// object lists the entries of a map, or reports that there is none.
func (s *settings) object(n *yaml.Node, what string) []strict.Pair {
	if n.Kind != yaml.MappingNode {
		s.Fail(n, "", "%s must be an object, not %s", what, strict.Describe(n))
		return nil
	}
	return s.Pairs(n)
}

// items lists the entries of a list, or reports that there is none.
func (s *settings) items(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		s.Fail(n, "", "%s must be a list, not %s", what, strict.Describe(n))
		return nil
	}
	return n.Content
}

// event reads the hooks of one event. They are numbered as they stand there,
// also those that are not used, so that their ids stay.
func (s *settings) event(p strict.Pair) {
	name := p.Key.Value
	info, err := s.known.Lookup(name)
	if err != nil || badName(name) != "" {
		message, hint, _ := strings.Cut(fmt.Sprint(err), "; ")
		s.warn(p.Key, message+"; its hooks are left out", hint)
		return
	}
	for _, group := range s.items(p.Value, name) {
		matcher := (*yaml.Node)(nil)
		var hooks *yaml.Node
		for _, q := range s.object(group, "an entry of "+name) {
			switch q.Key.Value {
			case "matcher":
				matcher = q.Value
			case "hooks":
				hooks = q.Value
			}
		}
		if hooks == nil {
			if group.Kind == yaml.MappingNode {
				s.Fail(group, "write {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}", "an entry of %s has no hooks", name)
			}
			continue
		}
		for _, n := range s.items(hooks, "hooks") {
			s.numbers[name]++
			s.Hook = fmt.Sprintf("%s:%s:%d", s.prefix, name, s.numbers[name])
			s.entry(n, importedEvent{name, info}, matcher)
			s.Hook = ""
		}
	}
}

func (s *settings) warn(n *yaml.Node, message, hint string) {
	s.warnings = append(s.warnings, Problem{File: s.File, Line: n.Line, Column: n.Column, Hook: s.Hook, Message: strict.Line(message), Hint: hint})
}
