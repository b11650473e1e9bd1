package cases

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/visible"
	"go.yaml.in/yaml/v4"
)

// format is what a test file says about what cannot have been meant.
var format = strict.Format{
	MaxNodes: 500_000, MaxDepth: 100,
	Unfolds: "write the values out",
	Tag:     "the tag %s is unknown",
	Key:     "text that begins with { or [ must be quoted",
	Twice:   "the key %q is here twice; the other is in line %d",
	Merge:   "<< takes a map, not %s",
	Self:    "an alias of itself",
}

// reader reads the nodes of one file and gathers its mistakes.
type reader struct {
	file     string
	problems strict.Problems
	walk     strict.Walk
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	r.problems = append(r.problems, strict.Problem{File: r.file, Line: max(n.Line, 1), Column: max(n.Column, 1),
		Message: visible.Line(fmt.Sprintf(format, args...)), Hint: hint})
}

// open gives the node that is meant, behind aliases. False is a mistake that was
// recorded.
func (r *reader) open(n *yaml.Node) (*yaml.Node, bool) { return r.walk.Enter(n, &format, r.fail) }

// entry is one key of a map with its value.
type entry = strict.Pair

// entries lists a map, which n must be, with what "<<" merges in.
func (r *reader) entries(n *yaml.Node) []entry {
	r.walk.Depth++
	defer func() { r.walk.Depth-- }()
	return r.walk.Pairs(n, &format, r.fail)
}

// keys calls the function for each key of a map. An unknown key is a mistake. It
// gives the keys that were there, or nil if it is not a map.
func keys(r *reader, at *yaml.Node, what string, known map[string]func(entry)) map[string]*yaml.Node {
	n, ok := r.open(at)
	if !ok {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.fail(at, "", "%s must be a map, not %s", what, describe(n))
		return nil
	}
	found := map[string]*yaml.Node{}
	for _, e := range r.entries(n) {
		read := known[e.Key.Value]
		if read == nil {
			r.fail(e.Key, suggest(e.Key.Value, sorted(known)), "unknown key %q in %s", strict.Clip(e.Key.Value), what)
			continue
		}
		found[e.Key.Value] = e.Key
		read(e)
	}
	return found
}

// suggest says which of the words may have been meant.
func suggest(word string, words []string) string {
	if near := hook.Nearest(word, words); near != "" {
		return "did you mean " + near + "?"
	}
	return "known are " + strings.Join(words, ", ")
}

// text reads a string. A blank one is a mistake unless empty ones mean something.
func (r *reader) text(at *yaml.Node, what string, mayBeEmpty bool) (string, bool) {
	n, ok := r.open(at)
	switch {
	case !ok:
		return "", false
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		if strings.TrimSpace(n.Value) == "" && !mayBeEmpty {
			r.fail(at, "leave the key out if nothing is meant", "%s is empty", what)
			return "", false
		}
		return n.Value, true
	case n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null":
		r.fail(at, "quote it if it is meant as text", "%s must be text, not %s", what, describe(n))
	default:
		r.fail(at, "", "%s must be text, not %s", what, describe(n))
	}
	return "", false
}

// texts reads a list of strings.
func (r *reader) texts(at *yaml.Node, what string) ([]string, bool) {
	n, ok := r.open(at)
	if !ok {
		return nil, false
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(at, "write it as [one, two]; [] is none", "%s must be a list, not %s", what, describe(n))
		return nil, false
	}
	list := []string{}
	for _, item := range n.Content {
		s, fine := r.text(item, "each entry of "+what, false)
		ok = ok && fine
		list = append(list, s)
	}
	return list, ok
}

// pattern reads a regular expression.
func (r *reader) pattern(at *yaml.Node, what string) (*regexp.Regexp, bool) {
	s, ok := r.text(at, what, false)
	if !ok {
		return nil, false
	}
	re, err := regexp.Compile(s)
	if err != nil {
		r.fail(at, "put a backslash before what is meant literally, and the whole into single quotes", "%s: %v", what, err)
		return nil, false
	}
	return re, true
}

// isFalse reports whether a node is the word false.
func isFalse(n *yaml.Node) bool {
	var v bool
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && n.Decode(&v) == nil && !v
}

// describe says what a node is.
func describe(n *yaml.Node) string { return format.Describe(n) }
