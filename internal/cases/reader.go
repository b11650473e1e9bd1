package cases

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hookway/hookway/hook"
	"go.yaml.in/yaml/v4"
)

// Bounds of what the aliases of a file may unfold to.
const (
	maxNodes = 500_000
	maxDepth = 100
)

// reader reads the nodes of one file and gathers its mistakes.
type reader struct {
	file     string
	problems Problems
	nodes    int
	depth    int
	burst    bool // the bounds were exceeded, and that was said
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: r.file, Line: max(n.Line, 1), Column: max(n.Column, 1),
		Message: visible(fmt.Sprintf(format, args...)), Hint: hint})
}

// open gives the node that is meant, behind aliases. False is a mistake that was
// recorded.
func (r *reader) open(n *yaml.Node) (*yaml.Node, bool) {
	if r.nodes++; r.nodes > maxNodes || r.depth > maxDepth {
		if !r.burst {
			r.fail(n, "write the values out", "the file nests too deeply, or its aliases unfold to too much")
		}
		r.burst = true
		return n, false
	}
	at := n
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	if tag := n.ShortTag(); n.Kind != yaml.AliasNode && !strings.HasPrefix(tag, "!!") {
		r.fail(at, "text that begins with ! must be quoted", "the tag %s is unknown", tag)
		return n, false
	}
	return n, true
}

// entry is one key of a map with its value.
type entry struct{ key, value *yaml.Node }

// entries lists a map, which n must be: its own keys, then those that << merges
// in and that it does not have.
func (r *reader) entries(n *yaml.Node) []entry {
	r.depth++
	defer func() { r.depth-- }()
	var list, merged []entry
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := r.open(n.Content[i])
		switch {
		case !ok:
			continue
		case key.Kind != yaml.ScalarNode:
			r.fail(n.Content[i], "text that begins with { or [ must be quoted", "a key must be text, not %s", describe(key))
			continue
		case key.ShortTag() == "!!merge":
			merged = append(merged, r.merged(n.Content[i+1])...)
			continue
		}
		if line, twice := seen[key.Value]; twice {
			r.fail(n.Content[i], "take one of them out", "the key %q is here twice; the other is in line %d", key.Value, line)
			continue
		}
		seen[key.Value] = n.Content[i].Line
		list = append(list, entry{key, n.Content[i+1]})
	}
	for _, e := range merged {
		if _, has := seen[e.key.Value]; !has {
			seen[e.key.Value] = e.key.Line
			list = append(list, e)
		}
	}
	return list
}

// merged lists what << brings: of one map, or of a list of maps.
func (r *reader) merged(value *yaml.Node) []entry {
	n, ok := r.open(value)
	switch {
	case !ok:
	case n.Kind == yaml.MappingNode:
		return r.entries(n)
	case n.Kind == yaml.SequenceNode:
		r.depth++
		defer func() { r.depth-- }()
		var all []entry
		for _, item := range n.Content {
			all = append(all, r.merged(item)...)
		}
		return all
	default:
		r.fail(value, "write <<: *name", "<< takes a map, not %s", describe(n))
	}
	return nil
}

// keys calls the function for each key of a map. An unknown key is a mistake. It
// gives the keys that were there, or nil if it is no map.
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
		read := known[e.key.Value]
		if read == nil {
			r.fail(e.key, suggest(e.key.Value, sorted(known)), "unknown key %q in %s", clip(e.key.Value), what)
			continue
		}
		found[e.key.Value] = e.key
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
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
	default:
		return "an alias of itself"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!str":
		return fmt.Sprintf("the text %q", clip(n.Value))
	case "!!int", "!!float":
		return "the number " + clip(n.Value)
	}
	return clip(n.Value)
}

// clip shortens a value that is quoted in a message.
func clip(s string) string {
	if runes := []rune(s); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return s
}
