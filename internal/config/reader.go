package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// maxDepth bounds how deep a file nests.
const maxDepth = 64

// format is what hookway.yaml says about what nobody can have meant.
var format = strict.Format{
	MaxNodes: 200_000, MaxDepth: maxDepth,
	Unfolds: "write the values out, or use fewer aliases",
	Tag:     "the tag %s means nothing here",
	Twice:   "the key %q is here twice; the first is in line %d",
	Merge:   "\"<<\" merges maps, not %s",
	Self:    "an alias to itself",
}

// reader turns the nodes of one file into values and gathers what is wrong.
type reader struct {
	file     string
	hook     string // id of the hook that is being read
	problems Problems
	tools    []matchWord // that matchers name
	sources  []matchWord
	walk     strict.Walk
}

// maxProblems bounds what is listed of a file that is something else entirely.
const maxProblems = 500

// full reports that so many problems were found that no more are listed.
func (r *reader) full() bool { return len(r.problems) > maxProblems }

// fail records a problem at a node.
func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	if r.full() {
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

// enter gives the node that is meant, behind aliases. False is a mistake that
// was recorded.
func (r *reader) enter(n *yaml.Node) (*yaml.Node, bool) { return r.walk.Enter(n, &format, r.fail) }

// pairs lists the entries of a map, with those that "<<" merges in.
func (r *reader) pairs(n *yaml.Node) []strict.Pair { return r.walk.Pairs(n, &format, r.fail) }

// describe names what a node is.
func describe(n *yaml.Node) string { return format.Describe(n) }

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
		r.fail(n, "", "%s is %s; it must be between %d and %d", what, strict.Clip(n.Value), low, high)
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
		r.fail(n, fmt.Sprintf("write %sms or %ss", n.Value, n.Value), "%s is %s without a unit", what, strict.Clip(n.Value))
	case err != nil:
		r.fail(n, "write 500ms, 30s or 2m", "%s must be a time span, not %s", what, describe(n))
	case d < 0:
		r.fail(n, "0 means none", "%s is negative", what)
	case d > limit:
		r.fail(n, "", "%s is %s; at most %v is taken for meant", what, strict.Clip(n.Value), limit)
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
	r.fail(n, hint, "%s %q is unknown; it is %s", what, strict.Clip(s), oneOf(words))
	return "", false
}

// oneOf writes "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
