package strict

import (
	"fmt"
	"strings"

	"github.com/hookway/hookway/internal/visible"
	"go.yaml.in/yaml/v4"
)

// Format is what differs between the formats that are read: their bounds, and
// their words for what is wrong.
type Format struct {
	MaxNodes, MaxDepth int // of what aliases may unfold to

	Unfolds string // hint: aliases unfold to too much
	Tag     string // message about a tag, %s
	Key     string // hint: a key is not text
	Twice   string // message about a key that is there twice, %q, and the line of the first, %d
	Merge   string // message about what << cannot merge, %s
	Self    string // what an alias to itself is called
}

// Fail records a mistake at a node.
type Fail func(n *yaml.Node, hint, format string, args ...any)

// Walk is one walk through the nodes of a file. The zero value is at its begin.
type Walk struct {
	Depth int // how many maps and lists are entered; whoever does counts

	nodes int
	burst bool // the bounds were exceeded, and that was said
}

// Enter counts a node and follows an alias. False is a mistake that was recorded:
// once, if the file unfolds to more than anybody writes.
func (w *Walk) Enter(n *yaml.Node, f *Format, fail Fail) (*yaml.Node, bool) {
	w.nodes++
	if w.burst || w.nodes > f.MaxNodes || w.Depth > f.MaxDepth {
		if !w.burst {
			fail(n, f.Unfolds, "the file nests too deeply, or its aliases unfold to too much")
		}
		w.burst = true
		return n, false
	}
	for hops := 0; n.Kind == yaml.AliasNode && n.Alias != nil && hops < f.MaxDepth; hops++ {
		n = n.Alias
	}
	if n.Tag != "" && !strings.HasPrefix(n.Tag, "!!") && !strings.HasPrefix(n.Tag, "tag:yaml.org") {
		fail(n, "text that begins with ! must be quoted", f.Tag, n.Tag)
		return n, false
	}
	return n, true
}

// Pair is one entry of a map.
type Pair struct{ Key, Value *yaml.Node }

// Pairs lists the entries of a map: its own, then those that "<<" merges in and
// that it has not itself.
func (w *Walk) Pairs(n *yaml.Node, f *Format, fail Fail) []Pair {
	var own, merged []Pair
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		key, ok := w.Enter(at, f, fail)
		switch {
		case !ok:
			continue
		case key.Kind != yaml.ScalarNode:
			fail(at, f.Key, "a key must be text, not %s", f.Describe(key))
			continue
		case key.ShortTag() == "!!merge":
			merged = append(merged, w.merge(value, f, fail)...)
			continue
		}
		if line, twice := lines[key.Value]; twice {
			fail(at, "take one of them out", f.Twice, key.Value, line)
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
func (w *Walk) merge(value *yaml.Node, f *Format, fail Fail) []Pair {
	w.Depth++
	defer func() { w.Depth-- }()
	n, ok := w.Enter(value, f, fail)
	switch {
	case !ok:
		return nil
	case n.Kind == yaml.MappingNode:
		return w.Pairs(n, f, fail)
	case n.Kind == yaml.SequenceNode:
		var all []Pair
		for _, item := range n.Content {
			all = append(all, w.merge(item, f, fail)...)
		}
		return all
	}
	fail(value, "write <<: *name", f.Merge, f.Describe(n))
	return nil
}

// Describe names what a node is, for messages about what is expected.
func (f *Format) Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
	default:
		return f.Self
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
