package facts

import (
	"slices"
	"strings"
)

// Two runes of the private-use area stand in texts for what is not known before the
// call runs. Input that holds them has them replaced first, byte for byte.
const (
	hole = '\uE000' // any text, also none
	word = '\uE001' // a name: some characters, none of them a slash, a dot or white space
)

// Bounds of what is followed.
const (
	maxValues = 8   // of one variable or word; more are one unknown
	maxFields = 256 // of one command
	maxBytes  = 1 << 16
)

// value is a text as far as it is known, and where it comes from.
type value struct {
	text string
	from []string // sources: "file:/a", "env:X", "net:https://h/", "stdin"
}

// values are the readings of one text. None is a text that is not there.
type values []value

func text(s string) values { return values{{text: s}} }

// anything is a text that cannot be known.
func anything(from ...string) values { return values{{text: string(hole), from: from}} }

// someName is a text of which only the shape is known.
func someName(from ...string) values { return values{{text: string(word), from: from}} }

func (v value) known() bool { return !unclear(v.text) }

// unclear reports whether a text has a hole or a word in it. Two searches for one rune are much
// faster than one for a set of them.
func unclear(s string) bool {
	return strings.Contains(s, string(hole)) || strings.Contains(s, string(word))
}

func (vs values) known() bool {
	for _, v := range vs {
		if !v.known() {
			return false
		}
	}
	return len(vs) > 0
}

// sources are where the texts come from, without doubles.
func (vs values) sources() []string {
	var all []string
	for _, v := range vs {
		all = union(all, v.from)
	}
	return all
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

// join is each reading of a followed by each of b.
func (vs values) join(with values) values {
	switch {
	case len(vs) == 0:
		return with
	case len(with) == 0:
		return vs
	}
	var out values
	for _, a := range vs {
		for _, b := range with {
			out = append(out, value{a.text + b.text, union(a.from, b.from)})
		}
	}
	return out.bounded()
}

// or is the readings of both.
func (vs values) or(with values) values {
	out := slices.Clone(vs)
	for _, v := range with {
		if !slices.ContainsFunc(out, func(o value) bool { return o.text == v.text && slices.Equal(o.from, v.from) }) {
			out = append(out, v)
		}
	}
	return out.bounded()
}

// bounded makes one unknown of too many readings, and of one that is too long.
func (vs values) bounded() values {
	if len(vs) <= maxValues {
		for i, v := range vs {
			if len(v.text) > maxBytes {
				vs[i].text = v.text[:64] + string(hole)
			}
		}
		return vs
	}
	prefix := vs[0].text
	for _, v := range vs[1:] {
		for !strings.HasPrefix(v.text, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return values{{strings.ToValidUTF8(prefix, "") + string(hole), vs.sources()}}
}

// each is the readings changed by f.
func (vs values) each(f func(string) string) values {
	out := make(values, len(vs))
	for i, v := range vs {
		out[i] = value{f(v.text), v.from}
	}
	return out
}

// eachKnown is the readings changed by f; what is not known becomes anything.
func (vs values) eachKnown(f func(string) (string, bool)) values {
	out := make(values, len(vs))
	for i, v := range vs {
		out[i] = value{string(hole), v.from}
		if v.known() {
			if s, ok := f(v.text); ok {
				out[i].text = s
			}
		}
	}
	return out
}

var (
	unknownShown = strings.NewReplacer(string(hole), "…", string(word), "…")
	unknownTaken = strings.NewReplacer(string(hole), "\uFFFD", string(word), "\uFFFD")
)

// visible is a text for a fact: what is not known is an ellipsis.
func visible(s string) string { return unknownShown.Replace(s) }

// clean takes the runes out of a text from outside that mean something here.
func clean(s string) string {
	if !unclear(s) {
		return s
	}
	return unknownTaken.Replace(s)
}
