package cases

import (
	"regexp"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// maxFile bounds a test file, in bytes. Larger payloads belong into payload files.
const maxFile = 4 << 20

// bounds are wider than a configuration's: payloads are data.
var bounds = strict.Bounds{Depth: 100, Nodes: 500_000}

// reader reads the nodes of one file and gathers its mistakes.
type reader struct{ strict.Reader }

// entry is one key of a map with its value.
type entry = strict.Pair

// keys calls the function for each key of a map. An unknown key is a mistake. It
// gives the keys that were there, or nil if it is not a map.
func keys(r *reader, at *yaml.Node, what string, known map[string]func(entry)) map[string]*yaml.Node {
	n, ok := r.Enter(at)
	if !ok {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.Fail(at, "", "%s must be a map, not %s", what, strict.Describe(n))
		return nil
	}
	found := map[string]*yaml.Node{}
	defer r.Deeper()()
	for _, e := range r.Pairs(n) {
		read := known[e.Key.Value]
		if read == nil {
			r.Fail(e.Key, suggest(e.Key.Value, sorted(known)), "unknown key %q in %s", strict.Clip(e.Key.Value), what)
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
	n, ok := r.Enter(at)
	switch {
	case !ok:
		return "", false
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		if strings.TrimSpace(n.Value) == "" && !mayBeEmpty {
			r.Fail(at, "leave the key out if nothing is meant", "%s is empty", what)
			return "", false
		}
		return n.Value, true
	case n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null":
		r.Fail(at, "quote it if it is meant as text", "%s must be text, not %s", what, strict.Describe(n))
	default:
		r.Fail(at, "", "%s must be text, not %s", what, strict.Describe(n))
	}
	return "", false
}

// texts reads a list of strings.
func (r *reader) texts(at *yaml.Node, what string) ([]string, bool) {
	n, ok := r.Enter(at)
	if !ok {
		return nil, false
	}
	if n.Kind != yaml.SequenceNode {
		r.Fail(at, "write it as [one, two]; [] is none", "%s must be a list, not %s", what, strict.Describe(n))
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
		r.Fail(at, "put a backslash before what is meant literally, and the whole into single quotes", "%s: %v", what, err)
		return nil, false
	}
	return re, true
}

// isFalse reports whether a node is the word false.
func isFalse(n *yaml.Node) bool {
	var v bool
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && n.Decode(&v) == nil && !v
}
