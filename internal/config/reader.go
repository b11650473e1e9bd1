package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"go.yaml.in/yaml/v4"
)

// maxNodes and maxDepth bound what aliases may make of a file.
const (
	maxNodes = 200_000
	maxDepth = 64
)

// reader turns the nodes of one file into values and gathers what is wrong.
type reader struct {
	file     string
	hook     string // id of the hook that is being read
	problems Problems
	tools    []matchWord // that matchers name
	sources  []matchWord
	visits   int
	depth    int
}

// maxProblems bounds what is listed of a file that is something else entirely.
const maxProblems = 500

// fail records a problem at a node.
func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	if len(r.problems) > maxProblems {
		return
	}
	if len(r.problems) == maxProblems {
		hint, format, args = "correct these first", "there are more mistakes than %d; the others are not listed", []any{maxProblems}
	}
	r.problems = append(r.problems, Problem{
		File: r.file, Line: n.Line, Column: n.Column, Hook: r.hook,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// enter counts a node and follows an alias. It reports false, once with a
// problem, when the file unfolds to more than anybody writes.
func (r *reader) enter(n *yaml.Node) (*yaml.Node, bool) {
	r.visits++
	if r.visits > maxNodes || r.depth > maxDepth {
		if r.visits < 2*maxNodes { // say so once
			r.visits = 2 * maxNodes
			r.fail(n, "write the values out, or use fewer aliases", "the file nests too deeply, or its aliases unfold to too much")
		}
		return n, false
	}
	for hops := 0; n.Kind == yaml.AliasNode && n.Alias != nil && hops < maxDepth; hops++ {
		n = n.Alias
	}
	if n.Tag != "" && !strings.HasPrefix(n.Tag, "!!") && !strings.HasPrefix(n.Tag, "tag:yaml.org") {
		r.fail(n, "text that begins with ! must be quoted", "the tag %s means nothing here", n.Tag)
		return n, false
	}
	return n, true
}

// pair is one entry of a map.
type pair struct{ key, value *yaml.Node }

// pairs lists the entries of a map: its own, then those that "<<" merges in and
// that it has not itself.
func (r *reader) pairs(n *yaml.Node) []pair {
	var own, merged []pair
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := r.enter(n.Content[i])
		if !ok {
			continue
		}
		if key.Kind != yaml.ScalarNode {
			r.fail(n.Content[i], "", "a key must be text, not %s", describe(key))
			continue
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, r.merge(n.Content[i+1])...)
			continue
		}
		if first := seen[key.Value]; first != nil {
			r.fail(n.Content[i], "take one of them out", "the key %q is here twice; the first is in line %d", key.Value, first.Line)
			continue
		}
		seen[key.Value] = n.Content[i]
		own = append(own, pair{n.Content[i], n.Content[i+1]})
	}
	for _, p := range merged {
		if seen[p.key.Value] == nil {
			seen[p.key.Value] = p.key
			own = append(own, p)
		}
	}
	return own
}

// merge lists the entries of the value of "<<": a map or a list of maps.
func (r *reader) merge(value *yaml.Node) []pair {
	r.depth++
	defer func() { r.depth-- }()
	n, ok := r.enter(value)
	switch {
	case !ok:
		return nil
	case n.Kind == yaml.MappingNode:
		return r.pairs(n)
	case n.Kind == yaml.SequenceNode:
		var all []pair
		for _, item := range n.Content {
			all = append(all, r.merge(item)...)
		}
		return all
	}
	r.fail(value, "write <<: *name", "\"<<\" merges maps, not %s", describe(n))
	return nil
}

// describe names what a node is, for "wrong type" messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!str":
			return fmt.Sprintf("the text %q", clip(n.Value))
		case "!!null":
			return "nothing"
		case "!!int", "!!float":
			return "the number " + clip(n.Value)
		}
		return clip(n.Value)
	}
	return "an alias to itself"
}

// clip keeps a quoted value short.
func clip(s string) string {
	if runes := []rune(s); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return s
}

// isText reports whether a node is a string.
func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// text reads a string that is not empty.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	n, ok := r.enter(n)
	switch {
	case !ok:
		return "", false
	case !isText(n):
		hint := ""
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			hint = "quote it if it is meant as text"
		}
		r.fail(n, hint, "%s must be text, not %s", what, describe(n))
		return "", false
	case strings.TrimSpace(n.Value) == "":
		r.fail(n, "leave the key out if nothing is meant", "%s is empty", what)
		return "", false
	}
	return n.Value, true
}

// entry is a string with its place.
type entry struct {
	text string
	node *yaml.Node
}

// texts reads a string or a list of strings.
func (r *reader) texts(n *yaml.Node, what string) []entry {
	n, ok := r.enter(n)
	if !ok {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		if n.Kind != yaml.ScalarNode {
			r.fail(n, "", "%s must be text or a list of texts, not %s", what, describe(n))
			return nil
		}
		if s, ok := r.text(n, what); ok {
			return []entry{{s, n}}
		}
		return nil
	}
	if len(n.Content) == 0 {
		r.fail(n, "leave the key out if nothing is meant", "%s is an empty list", what)
	}
	var out []entry
	for _, item := range n.Content {
		if s, ok := r.text(item, "each entry of "+what); ok {
			out = append(out, entry{s, item})
		}
	}
	return out
}

// boolean reads true or false.
func (r *reader) boolean(n *yaml.Node, what string) (value, ok bool) {
	if n, ok = r.enter(n); !ok {
		return false, false
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		if err := n.Decode(&value); err == nil {
			return value, true
		}
	}
	r.fail(n, "", "%s must be true or false, not %s", what, describe(n))
	return false, false
}

// integer reads a whole number between low and high.
func (r *reader) integer(n *yaml.Node, what string, low, high int64) (int, bool) {
	n, ok := r.enter(n)
	if !ok {
		return 0, false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		r.fail(n, "", "%s must be a whole number, not %s", what, describe(n))
		return 0, false
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
	if err != nil || v < low || v > high {
		r.fail(n, "", "%s is %s; it must be between %d and %d", what, clip(n.Value), low, high)
		return 0, false
	}
	return int(v), true
}

// duration reads a time span: "500ms", "30s", or 0.
func (r *reader) duration(n *yaml.Node, what string, limit time.Duration) (time.Duration, bool) {
	n, ok := r.enter(n)
	if !ok {
		return 0, false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.ShortTag() == "!!bool" {
		r.fail(n, "write 500ms, 30s or 2m", "%s must be a time span, not %s", what, describe(n))
		return 0, false
	}
	d, err := time.ParseDuration(n.Value)
	switch {
	case err != nil && n.ShortTag() == "!!int":
		r.fail(n, fmt.Sprintf("write %sms or %ss", n.Value, n.Value), "%s is %s without a unit", what, clip(n.Value))
	case err != nil:
		r.fail(n, "write 500ms, 30s or 2m", "%s must be a time span, not %s", what, describe(n))
	case d < 0:
		r.fail(n, "0 means none", "%s is negative", what)
	case d > limit:
		r.fail(n, "", "%s is %s; at most %v is taken for meant", what, clip(n.Value), limit)
	default:
		return d, true
	}
	return 0, false
}

// choice reads one word of a list.
func (r *reader) choice(n *yaml.Node, what string, words ...string) (string, bool) {
	s, ok := r.text(n, what)
	if !ok {
		return "", false
	}
	for _, w := range words {
		if strings.EqualFold(s, w) {
			return w, true
		}
	}
	hint := "use " + oneOf(words)
	if near := hook.Nearest(s, words); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	r.fail(n, hint, "%s %q is unknown; it is %s", what, clip(s), oneOf(words))
	return "", false
}

// oneOf writes "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
