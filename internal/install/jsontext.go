package install

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// maxConfig bounds the size of a configuration file. No agent has one of this size.
const maxConfig = 8 << 20

// maxDepth bounds how deep values may be nested: the parser recurses.
const maxDepth = 1000

// parseJSON reads JSON that may have comments and trailing commas, as most agents
// allow. The error has line and column.
func parseJSON(text []byte) (*hujson.Value, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("it is larger than %d MiB, which no agent's configuration is", maxConfig>>20)
	}
	if deep(text) {
		return nil, fmt.Errorf("its values are nested more than %d deep", maxDepth)
	}
	v, err := hujson.Parse(ended(text))
	if err != nil {
		var line, column int
		if n, _ := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); n == 2 {
			_, what, _ := strings.Cut(err.Error(), ": ")
			_, what, _ = strings.Cut(what, ": ")
			return nil, fmt.Errorf("%d:%d: it is not valid JSON: %s; mend it first", line, column, what)
		}
		return nil, fmt.Errorf("it is not valid JSON: %w; mend it first", err)
	}
	return &v, nil
}

// ended is a copy of a text that ends with a line break, as the parser wants of a
// comment. No offset changes by it.
func ended(text []byte) []byte { return append(bytes.Clone(text), '\n') }

// deep reports whether text may nest deeper than maxDepth. Brackets in strings
// and comments count as well, which only matters beyond what anybody writes.
func deep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// at writes an offset as line:column.
func at(text []byte, offset int) string {
	before := text[:offset]
	return fmt.Sprintf("%d:%d", 1+bytes.Count(before, []byte("\n")), offset-bytes.LastIndexByte(before, '\n'))
}

// object is our own JSON, whose members keep their order.
type object []member

type member struct {
	name  string
	value any // object, []any, []string, string, int or bool
}

// style is how a file is laid out.
type style struct {
	newline string
	unit    string // one step of indentation
	space   string // after a colon and between values on one line
	flat    bool   // all on one line
}

// styleOf reads the style of a file off its first member.
func styleOf(text []byte, root *hujson.Value) style {
	s := style{newline: "\n", unit: "  ", space: " "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	o, ok := root.Value.(*hujson.Object)
	if !ok || len(o.Members) == 0 {
		return s
	}
	first := o.Members[0]
	if len(first.Value.BeforeExtra) == 0 {
		s.space = ""
	}
	before := string(first.Name.BeforeExtra)
	i := strings.LastIndexByte(before, '\n')
	if i < 0 {
		s.flat = !bytes.ContainsRune(text[root.StartOffset:root.EndOffset], '\n')
		return s
	}
	if unit := before[i+1:]; unit != "" && strings.Trim(unit, " \t") == "" {
		s.unit = unit
	}
	return s
}

// render writes a value; indent is the indentation of the line it begins on.
func (s style) render(v any, indent string) string {
	var out strings.Builder
	s.write(&out, v, indent)
	return out.String()
}

func (s style) write(out *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case object:
		out.WriteByte('{')
		for i, m := range v {
			s.next(out, i, indent+s.unit)
			out.WriteString(quoteJSON(m.name) + ":")
			if !s.flat || s.space != "" {
				out.WriteString(" ")
			}
			s.write(out, m.value, indent+s.unit)
		}
		s.last(out, len(v), indent)
		out.WriteByte('}')
	case []string: // on one line, as people write arguments
		out.WriteByte('[')
		for i, item := range v {
			switch {
			case i > 0 && s.flat && s.space == "":
				out.WriteString(",")
			case i > 0:
				out.WriteString(", ")
			}
			out.WriteString(quoteJSON(item))
		}
		out.WriteByte(']')
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			s.next(out, i, indent+s.unit)
			s.write(out, item, indent+s.unit)
		}
		s.last(out, len(v), indent)
		out.WriteByte(']')
	case string:
		out.WriteString(quoteJSON(v))
	default:
		fmt.Fprint(out, v)
	}
}

func (s style) next(out *strings.Builder, i int, indent string) {
	if i > 0 {
		out.WriteByte(',')
	}
	switch {
	case !s.flat:
		out.WriteString(s.newline + indent)
	case i > 0:
		out.WriteString(s.space)
	}
}

func (s style) last(out *strings.Builder, n int, indent string) {
	if n > 0 && !s.flat {
		out.WriteString(s.newline + indent)
	}
}

func quoteJSON(s string) string { return string(hujson.String(s)) }
