package claudehooks

import (
	"fmt"
	"strings"

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
			s.Fail(p.Key, "", "env: %q is no name of a variable", strict.Clip(p.Key.Value))
		default:
			s.env = append(s.env, p.Key.Value+"="+value)
		}
	}
}
