package hook

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Match says which events a hook wants. All fields that are set must hold; of a
// list, one entry must. A field that the event does not have never holds. The zero
// value matches every event.
//
//	hook.Match{
//		Tool: []string{"Edit", "Write"},
//		Path: []string{"src/**"},
//		Not:  &hook.Match{Path: []string{"*_test.go"}},
//	}
//
// Names are compared with case. A glob over names has no folders: '*' also matches
// '/'. Patterns are compiled when the hook is added; Check does it earlier.
type Match struct {
	// Tool has names of tools: exact, a glob, or "Edit|Write".
	Tool []string

	// Path has globs over the files that a tool is called with: see Glob. A
	// relative one starts at the hook's Root.
	Path []string

	// Command has regular expressions over the command line of a shell tool.
	Command []string

	// Session has ids of sessions, exact.
	Session []string

	// Agent has names of agents: exact or a glob.
	Agent []string

	// Source has what reported the event, as "claude" or "run": exact or a glob.
	Source []string

	// Namespace and Target are those of a directive: exact or a glob.
	Namespace []string
	Target    []string

	// Fields has payload fields by wire name ("from", "tool_input.url"): exact
	// or a glob. All fields must hold, and of each field's list one entry.
	Fields map[string][]string

	// What the call would do: see Fact. A fact that is Dry does not count. See
	// docs/guards.md for the words.
	//
	// Deletes, Writes, Reads and Moves have globs over the paths of such facts, as Path
	// has over the files that are named; "**" is any. What is moved away counts as
	// deleted, too. The path as it is written and the one to which links lead both
	// count. A recursive act counts for what lies below its folder, where the pattern
	// says in which folder that is. A path of which a part is not known matches if it
	// could be meant. A word that no fact has, as in Git: "pussh", is an error of Check.
	Deletes, Writes, Reads, Moves []string

	Runs     []string // programs: "rm", "git push", "npm run deploy*"
	Connects []string // where to: a host, "host:port", or public, private, metadata, loopback
	Sends    []string // what leaves: "secret:*", "env:*", "file:**/.env"
	Git      []string // "push", "push force", "reset uncommitted", "force"
	SQL      []string // "drop", "delete users", "drop *"
	Infra    []string // "terraform apply", "kubernetes delete *"
	Secret   []string // kinds of credentials in the text of the call
	Unknown  bool     // a part of what it does shows only when it runs

	// Where has conditions of a program's own over the event and its facts. Of the
	// list, one must hold.
	Where []FactTest

	Any []Match // one of them must hold
	All []Match // all of them must hold
	Not *Match  // must not hold
}

// test is one compiled condition. Tests read the event through known, which works
// out each property once, however many hooks ask for it.
type test func(*known) bool

// matcher is a compiled Match. The zero value matches everything.
type matcher struct {
	tests []test
	tools []string // if set, the tool must be one of these: the chain's index ensures it
}

// holds reports whether all tests hold. The cheap ones come first, and the first that fails
// ends it.
func (m *matcher) holds(k *known) bool {
	for _, t := range m.tests {
		if !t(k) {
			return false
		}
	}
	return true
}

// Check reports everything that is wrong with the patterns: the join of one
// *PatternError for each, with the place of the pattern inside the match
// ("any[1].command[0]"). Nil means that every pattern compiles.
func (m Match) Check() error {
	_, err := m.compile("", "", false)
	return err
}

// compile turns a Match into tests, cheapest first: names, then globs, then paths and
// regular expressions, then what needs facts. root anchors path patterns, at is the place of this match in
// the outermost one, for errors.
func (m Match) compile(root, at string, negated bool) (matcher, error) {
	// Tests stand in the order of what they cost: names of the envelope, then files and
	// commands, and facts last, because the first test of a fact has the call analysed.
	c := compiler{root: root, at: at, negated: negated}
	c.readable(m)
	var exactTools []string
	if tools, from := splitBars(m.Tool); at == "" && !hasMeta(tools) {
		exactTools = tools // the chain's index ensures it
	} else {
		c.add(names("tool", tools, (*known).toolName, &c, from...))
	}
	c.add(exact(m.Session, func(k *known) (string, bool) { return k.head.Session, k.head.Session != "" }))
	c.add(names("agent", m.Agent, func(k *known) (string, bool) { return k.head.Agent, k.head.Agent != "" }, &c))
	c.add(names("source", m.Source, func(k *known) (string, bool) { return k.head.Source, k.head.Source != "" }, &c))
	c.add(names("namespace", m.Namespace, func(k *known) (string, bool) { return k.text("namespace") }, &c))
	c.add(names("target", m.Target, func(k *known) (string, bool) { return k.text("target") }, &c))
	for _, field := range slices.Sorted(maps.Keys(m.Fields)) {
		c.add(each(field, names("fields."+field, m.Fields[field], func(k *known) (string, bool) { return k.element, true }, &c)))
	}
	c.add(c.paths(m.Path))
	c.add(c.commands(m.Command))
	c.nested(m)
	c.facts(m)

	return matcher{tests: c.tests, tools: exactTools}, errors.Join(c.errs...)
}

// compiler gathers tests and errors of one Match.
type compiler struct {
	root, at string
	negated  bool // under an odd number of nots
	tests    []test
	errs     []error
}

// add adds a test; nil is a key that the match does not have.
func (c *compiler) add(t test) {
	if t != nil {
		c.tests = append(c.tests, t)
	}
}

// fail notes a mistake with its place. All mistakes of a match are told at once.
func (c *compiler) fail(place string, i int, err error) {
	c.errs = append(c.errs, &PatternError{Place: c.at + place + "[" + strconv.Itoa(i) + "]", Err: err})
}

// PatternError is a pattern of a Match that cannot be compiled.
type PatternError struct {
	Place string // such as "path[0]" or "any[1].command[0]"
	Err   error
}

func (e *PatternError) Error() string { return e.Place + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *PatternError) Unwrap() error { return e.Err }

// nested adds the groups any, all and not. Under an odd number of nots a guard reads a list
// as what it lets pass, so each part must know how it is nested.
func (c *compiler) nested(m Match) {
	group := func(place string, list []Match) []matcher {
		var out []matcher
		for i, inner := range list {
			compiled, err := inner.compile(c.root, fmt.Sprintf("%s%s[%d].", c.at, place, i), c.negated)
			if err != nil {
				c.errs = append(c.errs, err)
			}
			out = append(out, compiled)
		}
		return out
	}
	if anyOf := group("any", m.Any); len(anyOf) > 0 {
		c.add(func(k *known) bool {
			for i := range anyOf {
				if anyOf[i].holds(k) {
					return true
				}
			}
			return false
		})
	}
	for _, inner := range group("all", m.All) {
		c.add(inner.holds)
	}
	if m.Not != nil {
		inner, err := m.Not.compile(c.root, c.at+"not.", !c.negated)
		if err != nil {
			c.errs = append(c.errs, err)
		}
		c.add(func(k *known) bool { return !inner.holds(k) })
	}
}

// readable refuses patterns with control characters. They come from escapes by
// mistake, such as "\b" in YAML's double quotes, and never match.
func (c *compiler) readable(m Match) {
	check := func(place string, list []string) {
		for i, pattern := range list {
			if at := strings.IndexFunc(pattern, unicode.IsControl); at >= 0 {
				c.fail(place, i, fmt.Errorf("%q holds a control character; put the pattern into single quotes, or double its backslashes", pattern))
			}
		}
	}
	for _, key := range m.callKeys() {
		check(key.name, key.list)
	}
	check("session", m.Session)
	check("agent", m.Agent)
	check("source", m.Source)
	check("namespace", m.Namespace)
	check("target", m.Target)
	for _, field := range slices.Sorted(maps.Keys(m.Fields)) {
		check("fields."+field, m.Fields[field])
	}
}

// each puts the texts of a payload field to a test, one after the other: a
// field that is a list has several.
func each(field string, t test) test {
	if t == nil {
		return nil
	}
	return func(k *known) bool {
		for _, k.element = range k.texts(field) {
			if t(k) {
				return true
			}
		}
		return false
	}
}

// exact holds when the value is in the list.
func exact(list []string, value func(*known) (string, bool)) test {
	if len(list) == 0 {
		return nil
	}
	return func(k *known) bool {
		got, ok := value(k)
		if !ok {
			return false
		}
		for _, want := range list {
			if got == want {
				return true
			}
		}
		return false
	}
}

// names holds when the value is, or matches as a glob, an entry of the list.
// from gives the entries' places where they are not those in the list.
func names(place string, list []string, value func(*known) (string, bool), c *compiler, from ...int) test {
	if !hasMeta(list) {
		return exact(list, value)
	}
	globs := make([]nameGlob, 0, len(list))
	for i, pattern := range list {
		g, err := compileName(pattern)
		if err != nil {
			if from != nil {
				i = from[i]
			}
			c.fail(place, i, err)
			continue
		}
		globs = append(globs, g)
	}
	return func(k *known) bool {
		got, ok := value(k)
		if !ok {
			return false
		}
		for _, g := range globs {
			if g.match(got) {
				return true
			}
		}
		return false
	}
}

// paths adds a test of the paths that a call's arguments name. A guard that cannot be sure
// where a path leads has failed; any other hook does not match.
func (c *compiler) paths(patterns []string) test {
	var globs []*Glob
	for i, pattern := range patterns {
		g, err := CompileGlob(pattern)
		if err != nil {
			c.fail("path", i, err)
			continue
		}
		globs = append(globs, g)
	}
	if len(patterns) == 0 {
		return nil
	}
	root, negated := c.root, c.negated
	listed := func(p filePath) bool {
		return slices.ContainsFunc(globs, func(g *Glob) bool { return g.matchFile(p) })
	}
	return func(k *known) bool {
		paths := k.filePaths(root)
		if negated && k.guard { // what a guard lets pass must be listed in every form
			return len(paths) > 0 && k.files.unclear == nil && !slices.ContainsFunc(paths, func(p filePath) bool { return !listed(p) })
		}
		if slices.ContainsFunc(paths, listed) {
			return true
		}
		if k.guard && k.files.unclear != nil {
			k.unclear = k.files.unclear
			return k.lenient
		}
		return false
	}
}

// commands adds a test of the command lines of a call. Under a not, every line must be
// listed: one harmless line must not let a second one pass.
func (c *compiler) commands(patterns []string) test {
	var list []commandPattern
	for i, pattern := range patterns {
		re, err := regexp.Compile(pattern)
		if err != nil {
			c.fail("command", i, err)
			continue
		}
		list = append(list, newCommandPattern(re))
	}
	if len(patterns) == 0 {
		return nil
	}
	negated := c.negated
	return func(k *known) bool {
		lines := k.commandLines()
		hits := 0
		for i := range lines {
			if slices.ContainsFunc(list, func(p commandPattern) bool { return p.match(&lines[i]) }) {
				hits++
			}
		}
		if negated { // what is let pass must be listed whichever the tool runs
			return hits > 0 && hits == len(lines)
		}
		return hits > 0
	}
}

// splitBars reads "Edit|Write", as Claude Code's matchers write a list. from
// says from which entry of the list each name comes.
func splitBars(list []string) (names []string, from []int) {
	for i, s := range list {
		for name := range strings.SplitSeq(s, "|") {
			names, from = append(names, name), append(from, i)
		}
	}
	return names, from
}
