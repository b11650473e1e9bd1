package install

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// span is a piece of a text.
type span struct{ start, end int }

// container is an object or an array in a text, with where its items are.
type container struct {
	span
	items    []span
	commas   []int // where the comma behind each item is; -1: the last has none
	trailing bool  // a comma stands behind the last item
}

// containerOf finds the items of a parsed object or array.
func containerOf(v *hujson.Value) container {
	c := container{span: span{v.StartOffset, v.EndOffset}}
	add := func(start int, value *hujson.Value) {
		c.items = append(c.items, span{start, value.EndOffset})
		c.commas = append(c.commas, value.EndOffset+len(value.AfterExtra))
	}
	var last *hujson.Value
	switch composite := v.Value.(type) {
	case *hujson.Object:
		for i := range composite.Members {
			last = &composite.Members[i].Value
			add(composite.Members[i].Name.StartOffset, last)
		}
	case *hujson.Array:
		for i := range composite.Elements {
			last = &composite.Elements[i]
			add(last.StartOffset, last)
		}
	}
	if n := len(c.items); n > 0 {
		if c.trailing = last.AfterExtra != nil; !c.trailing {
			c.commas[n-1] = -1
		}
	}
	return c
}

// appended puts an item behind the last one of a container. write is given the
// indentation of the item's line.
func appended(text []byte, c container, s style, write func(s style, indent string) string) []byte {
	last := c.start + 1
	if n := len(c.items); n > 0 {
		last = c.items[n-1].end
		if c.trailing {
			last = c.commas[n-1] + 1
		}
	}
	closing := c.end - 1
	tail := text[last:closing]
	place := last + len(bytes.TrimRight(tail, " \t\r\n"))
	indent := lineIndent(text, c.start)
	one := s.flat && !bytes.ContainsRune(text[c.start:c.end], '\n')
	own := indent + s.unit // the indentation of an item's own line
	if n := len(c.items); n > 0 {
		before := text[:c.items[n-1].start]
		if i := bytes.LastIndexByte(before, '\n'); i >= c.start && len(bytes.TrimLeft(before[i+1:], " \t")) == 0 {
			own = string(before[i+1:])
		} else if !bytes.ContainsRune(text[c.start:c.end], '\n') {
			one = true
		}
	}
	if one {
		s.flat = true
	}
	var lead, end, comma, behind string
	if len(c.items) > 0 {
		comma = ","
		if one {
			lead = s.space
		}
	}
	if c.trailing {
		comma, behind = "", ","
	}
	if !one {
		lead = s.newline + own
		if !bytes.ContainsRune(text[place:closing], '\n') {
			end = s.newline + indent
		}
	}
	var out []byte
	if len(c.items) > 0 && !c.trailing {
		out = append(append(out, text[:last]...), comma...)
		out = append(out, text[last:place]...)
	} else {
		out = append(out, text[:place]...)
	}
	out = append(out, lead+write(s, own)+behind+end...)
	if len(c.items) == 0 && !one && end != "" {
		place = closing // {  } loses its blanks
	}
	return append(out, text[place:]...)
}

// without takes the item i out of a container.
func without(text []byte, c container, i int) []byte {
	from := c.start + 1
	if i > 0 {
		from = c.commas[i-1] + 1
	}
	start := from + len(bytes.TrimRight(text[from:c.items[i].start], " \t\r\n"))
	end := c.items[i].end
	if comma := c.commas[i]; comma >= 0 {
		end = comma + 1
	}
	out := slices.Clone(text[:start])
	if i > 0 && c.commas[i] < 0 { // the last one: the comma before it goes too
		comma := c.commas[i-1]
		out = append(slices.Clone(text[:comma]), text[comma+1:start]...)
	}
	rest := text[end:]
	if len(c.items) == 1 && len(bytes.TrimSpace(text[c.start+1:start])) == 0 && len(bytes.TrimSpace(text[end:c.end-1])) == 0 {
		return append(slices.Clone(text[:c.start+1]), text[c.end-1:]...)
	}
	return append(out, rest...)
}

// replaced puts something else in place of a span.
func replaced(text []byte, at span, with string) []byte {
	return slices.Concat(text[:at.start], []byte(with), text[at.end:])
}

// lineStart is where the line of an offset begins.
func lineStart(text []byte, offset int) int {
	return bytes.LastIndexByte(text[:offset], '\n') + 1
}

// lineIndent is the white space that the line of an offset begins with.
func lineIndent(text []byte, offset int) string {
	line := string(text[lineStart(text, offset):offset])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
