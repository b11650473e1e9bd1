package claudehooks

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

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
