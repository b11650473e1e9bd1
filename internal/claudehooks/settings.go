package claudehooks

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// settings reads one settings.json. Keys that are not about hooks, and what a
// newer Claude Code adds to hooks, mean nothing here.
type settings struct {
	strict.Reader
	in       *Import
	events   *hook.Engine
	source   *Source
	plugin   *plugin        // whose file it is, or nil
	numbers  map[string]int // of hooks so far, by event
	tools    []strict.Word  // that matchers name
	warnings strict.Problems

	disabled    *bool // disableAllHooks, if it is said
	onlyManaged bool  // allowManagedHooksOnly
	plugins     map[string]wish
	limits      Limits
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
			s.leftOut(func() { s.limits.URLs = s.list(p.Value, p.Key.Value) })
		case "httpHookAllowedEnvVars":
			s.limits.Variables = []string{}
			s.leftOut(func() { s.limits.Variables = s.list(p.Value, p.Key.Value) })
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
	info, err := s.events.Lookup(name)
	if err != nil || strict.BadName(name) != "" {
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
			s.Hook = fmt.Sprintf("%s:%s:%d", s.source.prefix, name, s.numbers[name])
			s.entry(n, importedEvent{name, info}, matcher)
			s.Hook = ""
		}
	}
}

func (s *settings) warn(n *yaml.Node, message, hint string) {
	s.warnings = append(s.warnings, strict.Problem{File: s.File, Line: n.Line, Column: n.Column, Hook: s.Hook, Message: strict.Line(message), Hint: hint})
}

// variables reads the variables of a session.
func (s *settings) variables(n *yaml.Node) {
	for _, p := range s.object(n, "env") {
		switch value, ok := optionText(p.Value); {
		case !ok || p.Value.Kind != yaml.ScalarNode:
			s.Fail(p.Value, "", "env: %s must be a text, not %s", strict.Clip(p.Key.Value), strict.Describe(p.Value))
		case p.Key.Value == "" || strings.ContainsAny(p.Key.Value, "=\x00"):
			s.Fail(p.Key, "", "env: %q is not the name of a variable", strict.Clip(p.Key.Value))
		default:
			s.env = append(s.env, p.Key.Value+"="+value)
		}
	}
}

// option is a value that a plugin of Claude Code asks its user for.
type option struct{ name, value string }

// userConfig is how the words of a plugin's hook name an option.
var userConfig = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{user_config\.([^}]+)\}`) })

// notOfName are the characters that a variable's name cannot have.
var notOfName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_]`) })

// variable is the name of the variable in which hooks find an option.
func (o option) variable() string {
	return "CLAUDE_PLUGIN_OPTION_" + strings.ToUpper(notOfName().ReplaceAllString(o.name, "_"))
}

// optionsOf are the options of a plugin, as the user's and the managed settings have
// them; a default is written there when the user is asked. What a project says of them
// does not count, as in Claude Code: it could be anybody's.
func (s *settings) optionsOf(manifest *yaml.Node) (out []option) {
	set := func(name, value string) {
		out = append(slices.DeleteFunc(out, func(o option) bool { return o.name == name }), option{name, value})
	}
	files := []string{filepath.Join(s.in.Managed, "managed-settings.json")}
	if s.in.Dir != "" {
		files = slices.Insert(files, 0, filepath.Join(s.in.Dir, "settings.json"))
	}
	for _, file := range files {
		for name, n := range members(in(in(in(s.in.registry(file), "pluginConfigs"), s.plugin.id), "options")) {
			if value, ok := optionText(n); ok {
				set(name, value)
			}
		}
	}
	for name, n := range members(in(manifest, "userConfig")) {
		secret := in(n, "sensitive")
		if secret != nil && secret.Value == "true" && !slices.ContainsFunc(out, func(o option) bool { return o.name == name }) {
			s.warn(n, fmt.Sprintf("plugin %s: Claude Code keeps its option %s where hookway does not look", s.plugin.id, name),
				"its hooks find "+option{name: name}.variable()+" if it is set in the agent's environment")
		}
	}
	return out
}

// members are the entries of an object.
func members(n *yaml.Node) func(func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

// optionText is a value as a variable has it: of a list, its items between commas.
func optionText(n *yaml.Node) (string, bool) {
	switch {
	case n == nil || n.Kind == yaml.MappingNode || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" || strings.ContainsRune(n.Value, 0):
		return "", false
	case n.Kind == yaml.ScalarNode:
		return n.Value, true
	}
	var items []string
	for _, item := range n.Content {
		text, ok := optionText(item)
		if !ok {
			return "", false
		}
		items = append(items, text)
	}
	return strings.Join(items, ","), true
}

// withOptions puts a plugin's options into the words of its command. A line of the
// shell may not have them: it would run what they say.
func (s *settings) withOptions(h *Hook, e claudeEntry) {
	if s.plugin == nil || e.kind != "command" {
		return
	}
	fail := func(n *yaml.Node, message, hint string) {
		h.Broken = fmt.Errorf("%s; %s", message, hint)
		s.warn(n, message+", so the hook fails, as in Claude Code", hint)
	}
	if !e.exec {
		if m := userConfig().FindString(e.command.Text); m != "" {
			fail(e.command.Node, "a line of the shell names "+strict.Line(m)+", which the shell would read once more",
				"write \"command\" with \"args\", or read the variable "+option{name: m[len("${user_config.") : len(m)-1]}.variable())
		}
		return
	}
	for i := range h.Argv {
		word := &h.Argv[i]
		word.Text = userConfig().ReplaceAllStringFunc(word.Text, func(m string) string {
			name := m[len("${user_config.") : len(m)-1]
			for _, o := range s.plugin.options {
				if o.name == name {
					return o.value
				}
			}
			fail(word.Node, fmt.Sprintf("the option %s of the plugin %s is not set", strict.Line(name), s.plugin.id), "set it in Claude Code with /plugin")
			return m
		})
	}
}
