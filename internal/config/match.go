package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

var matchTable table[hook.Match]

func matchKeys() []key[hook.Match] { return matchTable.get(makeMatchKeys) }

// makeMatchKeys lists the keys of a matcher. The aliases are A3S's names.
func makeMatchKeys() []key[hook.Match] {
	pattern := func(name, doc string, into func(*hook.Match) *[]string, aliases ...string) key[hook.Match] {
		return key[hook.Match]{name: name, aliases: aliases, doc: doc, shape: textsShape(),
			read: func(r *reader, n *yaml.Node, m *hook.Match) {
				for _, e := range r.Texts(n, name) {
					target := into(m)
					one := hook.Match{}
					*into(&one) = []string{e.Text}
					if r.pattern(e.Node, one) {
						*target = append(*target, e.Text)
					}
					switch name {
					case "namespace":
						r.namespace(e)
					case "tool":
						r.tools = append(r.tools, strict.Word{Entry: e, Hook: r.Hook})
					case "source":
						r.sources = append(r.sources, strict.Word{Entry: e, Hook: r.Hook})
					case "agent":
						r.agents = append(r.agents, strict.Word{Entry: e, Hook: r.Hook})
					}
				}
			}}
	}
	return slices.Concat([]key[hook.Match]{
		pattern("tool", "Tool names: exact, a glob (mcp__*), or \"Edit|Write\".", func(m *hook.Match) *[]string { return &m.Tool }),
		pattern("path", "Globs over the file that a tool is called with.", func(m *hook.Match) *[]string { return &m.Path }, "path_pattern"),
		pattern("command", "Regular expressions over the command line of a shell tool.", func(m *hook.Match) *[]string { return &m.Command }, "command_pattern"),
		pattern("session", "Session ids.", func(m *hook.Match) *[]string { return &m.Session }, "session_id"),
		pattern("agent", "Agent names, exact or globs.", func(m *hook.Match) *[]string { return &m.Agent }),
		pattern("source", "Who reported the event, exact or globs: an agent's own hooks (claude, codex, gemini, …), run for a program under hookway run, cli, test, or what a Go program says.", func(m *hook.Match) *[]string { return &m.Source }),
		pattern("namespace", "Namespaces of directives, exact or globs.", func(m *hook.Match) *[]string { return &m.Namespace }),
		pattern("target", "Targets of directives, exact or globs.", func(m *hook.Match) *[]string { return &m.Target }),
		{name: "fields", doc: "Payload fields by wire name, exact or globs; dots lead into maps (tool_input.url).",
			shape: schema{"type": "object", "additionalProperties": scalarsShape()}, read: readFields},
	}, factKeys(), []key[hook.Match]{
		{name: "any", doc: "One of these matchers must hold.", shape: listShape(refShape("match")),
			read: func(r *reader, n *yaml.Node, m *hook.Match) { m.Any = append(m.Any, r.matches(n, "any")...) }},
		{name: "all", doc: "All of these matchers must hold.", shape: listShape(refShape("match")),
			read: func(r *reader, n *yaml.Node, m *hook.Match) { m.All = append(m.All, r.matches(n, "all")...) }},
		{name: "not", doc: "This matcher must not hold.", shape: refShape("match"),
			read: func(r *reader, n *yaml.Node, m *hook.Match) {
				if node, ok := r.Enter(n); ok && node.Kind == yaml.MappingNode && len(node.Content) == 0 {
					return // nothing is said, as with an empty any or all
				}
				inner, _ := r.readMatch(n, "not")
				m.Not = &inner
			}},
	})
}

// namespace refuses a namespace that no directive can have: its hook would never run.
func (r *reader) namespace(e strict.Entry) {
	if !strings.ContainsAny(e.Text, "*?[{\\") && !namespaceForm().MatchString(e.Text) {
		r.Fail(e.Node, "write deploy for lines such as @deploy:staging", "%q can be no namespace of a directive: it is letters, digits, - and _, with a letter first, at most 64", e.Text)
	}
}

var namespaceForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`) })

// readMatch reads a matcher.
func (r *reader) readMatch(n *yaml.Node, what string) (m hook.Match, ok bool) {
	ok = object(r, n, what, matchKeys(), &m) != nil
	return m, ok
}

func (r *reader) matches(n *yaml.Node, what string) []hook.Match {
	var out []hook.Match
	list(r, n, what, func(_ int, item *yaml.Node) {
		if m, ok := r.readMatch(item, "an entry of "+what); ok {
			out = append(out, m)
		}
	})
	return out
}

// readFields reads "fields": values may be numbers and booleans, which are
// compared as they are written.
func readFields(r *reader, n *yaml.Node, m *hook.Match) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "write fields: {name: pattern}", "fields must be a map, not %s", strict.Describe(node))
		return
	}
	for _, p := range r.Pairs(node) {
		for _, e := range r.Scalars(p.Value, "fields."+p.Key.Value) {
			if r.pattern(e.Node, hook.Match{Fields: map[string][]string{p.Key.Value: {e.Text}}}) {
				if m.Fields == nil {
					m.Fields = map[string][]string{}
				}
				m.Fields[p.Key.Value] = append(m.Fields[p.Key.Value], e.Text)
			}
		}
	}
}

// pattern reports what is wrong with the one pattern of a match, at its own place.
func (r *reader) pattern(n *yaml.Node, one hook.Match) bool {
	err := one.Check()
	if err == nil {
		return true
	}
	var bad *hook.PatternError
	if errors.As(err, &bad) {
		err = bad.Err
	}
	hint := ""
	switch message := err.Error(); {
	case strings.Contains(message, "Perl"):
		hint = "look-around is not supported; say what must not match under not:"
	case strings.Contains(message, "error parsing regexp"):
		hint = "escape what is meant literally with a backslash, in single quotes"
	}
	r.Fail(n, hint, "%s", strings.ReplaceAll(err.Error(), "\n", " "))
	return false
}
