package strict

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
	"go.yaml.in/yaml/v4"
)

// Bounds are how deep a file may nest, and to how many nodes its aliases may unfold.
type Bounds struct{ Depth, Nodes int }

// MaxDepth bounds how deep a hookway.yaml nests.
const MaxDepth = 64

// usual are the bounds of a hookway.yaml.
var usual = Bounds{MaxDepth, 200_000}

// Reader turns the nodes of one file into values and gathers what is wrong.
type Reader struct {
	File     string
	Hook     string  // id of the hook that is being read
	Bounds   *Bounds // nil: those of a hookway.yaml
	Problems Problems

	depth int // how many maps and lists are entered
	nodes int
	burst bool // the bounds were exceeded, and that was said
}

// Deeper enters a map or a list. What it gives leaves it.
func (r *Reader) Deeper() (leave func()) {
	r.depth++
	return func() { r.depth-- }
}

// MaxProblems bounds what is listed of a file that is something else entirely.
const MaxProblems = 500

// Full reports that so many problems were found that no more are listed.
func (r *Reader) Full() bool { return len(r.Problems) > MaxProblems }

// Fail records a problem at a node.
func (r *Reader) Fail(n *yaml.Node, hint, format string, args ...any) {
	if r.Full() {
		return
	}
	if len(r.Problems) == MaxProblems {
		hint, format, args = "correct these first", "there are more mistakes than %d; the others are not listed", []any{MaxProblems}
	}
	r.Problems = append(r.Problems, Problem{
		File: r.File, Line: n.Line, Column: n.Column, Hook: r.Hook,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// Enter counts a node, and gives what it stands for, behind aliases. False is a mistake
// that was recorded: once, if the file unfolds to more than a person writes.
func (r *Reader) Enter(n *yaml.Node) (*yaml.Node, bool) {
	r.nodes++
	most := cmp.Or(r.Bounds, &usual)
	if r.burst || r.nodes > most.Nodes || r.depth > most.Depth {
		if !r.burst {
			r.Fail(n, "write the values out, or use fewer aliases", "the file nests too deeply, or its aliases unfold to too much")
		}
		r.burst = true
		return n, false
	}
	for hops := 0; n.Kind == yaml.AliasNode && n.Alias != nil && hops < most.Depth; hops++ {
		n = n.Alias
	}
	if n.Tag != "" && !strings.HasPrefix(n.Tag, "!!") && !strings.HasPrefix(n.Tag, "tag:yaml.org") {
		r.Fail(n, "text that begins with ! must be quoted", "the tag %s means nothing here", n.Tag)
		return n, false
	}
	return n, true
}

// Pair is one entry of a map.
type Pair struct{ Key, Value *yaml.Node }

// Pairs lists the entries of a map: its own, then those that "<<" merges in and
// that it has not itself.
func (r *Reader) Pairs(n *yaml.Node) []Pair {
	var own, merged []Pair
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		key, ok := r.Enter(at)
		switch {
		case !ok:
			continue
		case key.Kind != yaml.ScalarNode:
			r.Fail(at, "text that begins with { or [ must be quoted", "a key must be text, not %s", Describe(key))
			continue
		case key.ShortTag() == "!!merge":
			merged = append(merged, r.merge(value)...)
			continue
		}
		if line, twice := lines[key.Value]; twice {
			r.Fail(at, "take one of them out", "the key %q is here twice; the first is in line %d", key.Value, line)
			continue
		}
		lines[key.Value] = at.Line
		own = append(own, Pair{key, value})
	}
	for _, p := range merged {
		if _, has := lines[p.Key.Value]; !has {
			lines[p.Key.Value] = p.Key.Line
			own = append(own, p)
		}
	}
	return own
}

// merge lists what "<<" brings: of a map, or of a list of maps.
func (r *Reader) merge(value *yaml.Node) []Pair {
	defer r.Deeper()()
	n, ok := r.Enter(value)
	switch {
	case !ok:
		return nil
	case n.Kind == yaml.MappingNode:
		return r.Pairs(n)
	case n.Kind == yaml.SequenceNode:
		var all []Pair
		for _, item := range n.Content {
			all = append(all, r.merge(item)...)
		}
		return all
	}
	r.Fail(value, "write <<: *name", "\"<<\" merges maps, not %s", Describe(n))
	return nil
}

// Describe names what a node is, for messages about what is expected.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
	default:
		return "an alias to itself"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!str":
		return fmt.Sprintf("the text %q", Clip(n.Value))
	case "!!int", "!!float":
		return "the number " + Clip(n.Value)
	}
	return Clip(n.Value)
}

// Clip shortens a value that is quoted in a message.
func Clip(s string) string { return visible.Clip(s, 60) }

// IsText reports whether a node is a string.
func IsText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// Text reads a string that is not empty.
func (r *Reader) Text(n *yaml.Node, what string) (string, bool) {
	n, ok := r.Enter(n)
	switch {
	case !ok:
		return "", false
	case !IsText(n):
		hint := ""
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			hint = "quote it if it is meant as text"
		}
		r.Fail(n, hint, "%s must be text, not %s", what, Describe(n))
		return "", false
	case strings.TrimSpace(n.Value) == "":
		r.Fail(n, "leave the key out if nothing is meant", "%s is empty", what)
		return "", false
	}
	return n.Value, true
}

// Entry is a string with its place.
type Entry struct {
	Text string
	Node *yaml.Node
}

// Word is a name or glob in a hook's matcher.
type Word struct {
	Entry
	Hook string
}

// Texts reads a string or a list of strings.
func (r *Reader) Texts(n *yaml.Node, what string) []Entry {
	n, ok := r.Enter(n)
	if !ok {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		if n.Kind != yaml.ScalarNode {
			r.Fail(n, "", "%s must be text or a list of texts, not %s", what, Describe(n))
			return nil
		}
		if s, ok := r.Text(n, what); ok {
			return []Entry{{s, n}}
		}
		return nil
	}
	if len(n.Content) == 0 {
		r.Fail(n, "leave the key out if nothing is meant", "%s is an empty list", what)
	}
	var out []Entry
	for _, item := range n.Content {
		if s, ok := r.Text(item, "each entry of "+what); ok {
			out = append(out, Entry{s, item})
		}
	}
	return out
}

// Boolean reads true or false.
func (r *Reader) Boolean(n *yaml.Node, what string) (value, ok bool) {
	if n, ok = r.Enter(n); !ok {
		return false, false
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		if err := n.Decode(&value); err == nil {
			return value, true
		}
	}
	r.Fail(n, "", "%s must be true or false, not %s", what, Describe(n))
	return false, false
}

// Integer reads a whole number between low and high.
func (r *Reader) Integer(n *yaml.Node, what string, low, high int64) (int, bool) {
	n, ok := r.Enter(n)
	if !ok {
		return 0, false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		r.Fail(n, "", "%s must be a whole number, not %s", what, Describe(n))
		return 0, false
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
	if err != nil || v < low || v > high {
		r.Fail(n, "", "%s is %s; it must be between %d and %d", what, Clip(n.Value), low, high)
		return 0, false
	}
	return int(v), true
}

// Duration reads a time span: "500ms", "30s", or 0.
func (r *Reader) Duration(n *yaml.Node, what string, limit time.Duration) (time.Duration, bool) {
	n, ok := r.Enter(n)
	if !ok {
		return 0, false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.ShortTag() == "!!bool" {
		r.Fail(n, "write 500ms, 30s or 2m", "%s must be a time span, not %s", what, Describe(n))
		return 0, false
	}
	d, err := time.ParseDuration(n.Value)
	switch {
	case err != nil && n.ShortTag() == "!!int":
		r.Fail(n, fmt.Sprintf("write %sms or %ss", n.Value, n.Value), "%s is %s without a unit", what, Clip(n.Value))
	case err != nil:
		r.Fail(n, "write 500ms, 30s or 2m", "%s must be a time span, not %s", what, Describe(n))
	case d < 0:
		r.Fail(n, "0 means none", "%s is negative", what)
	case d > limit:
		r.Fail(n, "", "%s is %s; at most %v is taken for meant", what, Clip(n.Value), limit)
	default:
		return d, true
	}
	return 0, false
}

// Choice reads one word of a list.
func (r *Reader) Choice(n *yaml.Node, what string, words ...string) (string, bool) {
	s, ok := r.Text(n, what)
	if !ok {
		return "", false
	}
	for _, w := range words {
		if strings.EqualFold(s, w) {
			return w, true
		}
	}
	hint := "use " + OneOf(words)
	if near := hook.Nearest(s, words); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	r.Fail(n, hint, "%s %q is unknown; it is %s", what, Clip(s), OneOf(words))
	return "", false
}

// OneOf writes "a, b or c".
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Scalars reads texts, numbers and booleans: one, or a list.
func (r *Reader) Scalars(n *yaml.Node, what string) []Entry {
	node, ok := r.Enter(n)
	if !ok {
		return nil
	}
	items := []*yaml.Node{n}
	if node.Kind == yaml.SequenceNode {
		if items = node.Content; len(items) == 0 {
			r.Fail(n, "leave the key out if nothing is meant", "%s is an empty list", what)
		}
	}
	var out []Entry
	for _, item := range items {
		if s, ok := r.Scalar(item, what); ok {
			out = append(out, Entry{s, item})
		}
	}
	return out
}

// Scalar reads a text, number or boolean as it is written.
func (r *Reader) Scalar(n *yaml.Node, what string) (string, bool) {
	node, ok := r.Enter(n)
	if !ok {
		return "", false
	}
	if node.Kind == yaml.ScalarNode {
		switch node.ShortTag() {
		case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
			return node.Value, true
		}
	}
	r.Fail(n, "", "%s must be text, a number, true or false, not %s", what, Describe(node))
	return "", false
}

// Name reads an identifier: text on one line without blanks around it.
func (r *Reader) Name(n *yaml.Node, what string) (string, bool) {
	s, ok := r.Text(n, what)
	if !ok {
		return "", false
	}
	if why := BadName(s); why != "" {
		r.Fail(n, "", "%s %q %s", what, Clip(s), why)
		return "", false
	}
	return s, true
}

// BadName says why a text is not an identifier, or "".
func BadName(s string) string {
	if len(s) > 200 {
		return "is longer than 200 bytes"
	}
	for i, c := range s {
		switch {
		case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\u2028' || c == '\u2029':
			return fmt.Sprintf("has the control character U+%04X", c)
		case c == ' ' && (i == 0 || i == len(s)-1):
			return "begins or ends with a blank"
		}
	}
	return ""
}

// FailErr records each mistake of a joined error on its own. What follows "; " in it is
// the hint.
func (r *Reader) FailErr(n *yaml.Node, prefix string, err error) {
	all := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		all = many.Unwrap()
	}
	for _, err := range all {
		if err != nil {
			message, hint, _ := strings.Cut(err.Error(), "; ")
			r.Fail(n, hint, "%s%s", prefix, message)
		}
	}
}

// Variable reads the name of a variable of the environment.
func (r *Reader) Variable(n *yaml.Node, what string) (string, bool) {
	name, ok := r.Text(n, what)
	if !ok {
		return "", false
	}
	for i, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			r.Fail(n, "write its name alone, as in "+what+": CI_SECRET", "%s is not the name of a variable", what) // it may be the secret itself
			return "", false
		}
	}
	return name, true
}
