package config

import (
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/where"
	"go.yaml.in/yaml/v4"
)

// factKeys are the keys of a matcher that ask what a call would do.
func factKeys() []key[hook.Match] {
	ask := func(name, anything, doc string, into func(*hook.Match) *[]string) key[hook.Match] {
		return key[hook.Match]{name: name, doc: doc + " true is any.", shape: textsOrTrueShape(),
			read: func(r *reader, n *yaml.Node, m *hook.Match) {
				*into(m) = append(*into(m), r.patternsOrTrue(n, name, anything, into)...)
			}}
	}
	return []key[hook.Match]{
		ask("deletes", "**", "The call deletes, or moves away, files that one of these globs names.", func(m *hook.Match) *[]string { return &m.Deletes }),
		ask("writes", "**", "The call writes files that one of these globs names.", func(m *hook.Match) *[]string { return &m.Writes }),
		ask("reads", "**", "The call reads files that one of these globs names.", func(m *hook.Match) *[]string { return &m.Reads }),
		ask("moves", "**", "The call moves files that one of these globs names.", func(m *hook.Match) *[]string { return &m.Moves }),
		ask("runs", "*", "The call runs one of these programs: rm, git push, npm run deploy*.", func(m *hook.Match) *[]string { return &m.Runs }),
		ask("connects", "*", "The call connects to one of these: a host, host:port, or public, private, metadata, loopback.", func(m *hook.Match) *[]string { return &m.Connects }),
		ask("sends", "*", "The call sends one of these: secret:*, env:*, file:**/.env, stdin.", func(m *hook.Match) *[]string { return &m.Sends }),
		ask("git", "*", "What the call does to a repository: push, push force, reset uncommitted, force.", func(m *hook.Match) *[]string { return &m.Git }),
		ask("sql", "*", "What the call does to data: drop, delete users.", func(m *hook.Match) *[]string { return &m.SQL }),
		ask("infra", "*", "What the call does to clusters and clouds: terraform apply, kubernetes delete *.", func(m *hook.Match) *[]string { return &m.Infra }),
		ask("secret", "*", "A credential of one of these kinds is in the text of the call.", func(m *hook.Match) *[]string { return &m.Secret }),
		{name: "unknown", doc: "A part of what the call does shows only when it runs.", shape: trueShape(),
			read: func(r *reader, n *yaml.Node, m *hook.Match) {
				v, ok := r.Boolean(n, "unknown")
				if ok && !v {
					r.Fail(n, "take the key out, or put unknown: true under not:", "unknown can only be true")
				}
				m.Unknown = ok && v
			}},
		{name: "where", doc: "Expressions over facts, event, tool, input, session, agent, cwd and folder, of which one must hold: any(facts, .does == \"infra\" and not .dry).",
			shape: textsShape(), read: readWhere},
	}
}

// patternsOrTrue reads patterns of facts, or true for any.
func (r *reader) patternsOrTrue(n *yaml.Node, name, anything string, into func(*hook.Match) *[]string) (out []string) {
	node, ok := r.Enter(n)
	if !ok {
		return nil
	}
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!bool" {
		v, ok := r.Boolean(n, name)
		if ok && !v {
			r.Fail(n, "take the key out, or put "+name+": true under not:", "%s is true or patterns, not false", name)
		}
		return []string{anything}
	}
	for _, e := range r.Texts(n, name) {
		one := hook.Match{}
		*into(&one) = []string{e.Text}
		if r.pattern(e.Node, one) {
			out = append(out, e.Text)
		}
	}
	return out
}

func readWhere(r *reader, n *yaml.Node, m *hook.Match) {
	for _, e := range r.Texts(n, "where") {
		test, err := where.Compile(e.Text)
		if err != nil {
			r.Fail(e.Node, "", "where: %s", strict.Line(err.Error()))
			continue
		}
		m.Where = append(m.Where, test)
	}
}

// within has the conditions of a matcher, and of those in it, name folders as seen from
// the workspace.
func within(m *hook.Match, workspace string) {
	m.Where = slices.Clone(m.Where) // hooks may share a matcher
	for i, t := range m.Where {
		if test, ok := t.(*where.Test); ok {
			m.Where[i] = test.In(workspace)
		}
	}
	for _, list := range []*[]hook.Match{&m.Any, &m.All} {
		*list = slices.Clone(*list)
		for i := range *list {
			within(&(*list)[i], workspace)
		}
	}
	if m.Not != nil {
		not := *m.Not
		within(&not, workspace)
		m.Not = &not
	}
}

func textsOrTrueShape() schema {
	out := textsShape()
	out["anyOf"] = append(out["anyOf"].([]schema), trueShape())
	return out
}
