package wat

import (
	"strconv"
	"strings"
)

// node is a word, a text or a list in parentheses.
type node struct {
	atom string
	list []*node
	line int
}

// word returns a word of a list, or "".
func (n *node) word(i int) string {
	if i < len(n.list) && n.list[i].list == nil {
		return n.list[i].atom
	}
	return ""
}

// text returns a quoted text of a list.
func (n *node) text(i int) string {
	s, ok := strings.CutPrefix(n.word(i), `"`)
	if !ok {
		fail("line %d: want a text", n.line)
	}
	return s
}

// all returns the lists in a list that begin with a word.
func (n *node) all(word string) (out []*node) {
	for _, e := range n.list {
		if e.word(0) == word {
			out = append(out, e)
		}
	}
	return out
}

// parse reads a text. A quoted text becomes a word with a quote in front.
func parse(text string) []*node {
	stack := []*node{{}}
	line := 1
	add := func(n *node) {
		n.line = line
		top := stack[len(stack)-1]
		top.list = append(top.list, n)
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], ";;"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(':
			n := &node{list: []*node{}}
			add(n)
			stack = append(stack, n)
			i++
		case c == ')':
			if len(stack) == 1 {
				fail("line %d: this ) closes nothing", line)
			}
			stack = stack[:len(stack)-1]
			i++
		case c == '"':
			s, n := quoted(text[i:], line)
			add(&node{atom: `"` + s})
			i += n
		default:
			n := strings.IndexAny(text[i:]+" ", " \t\r\n()\"")
			add(&node{atom: text[i : i+n]})
			i += n
		}
	}
	if len(stack) > 1 {
		fail("line %d: this ( is not closed", stack[len(stack)-1].line)
	}
	return stack[0].list
}

// quoted reads a text, with \" \\ \n \t and \xx, and how long it is.
func quoted(text string, line int) (string, int) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), i + 1
		case c != '\\':
			b.WriteByte(c)
		case strings.IndexByte(`"\`, at(text, i+1)) >= 0:
			i++
			b.WriteByte(text[i])
		case at(text, i+1) == 'n':
			i++
			b.WriteByte('\n')
		case at(text, i+1) == 't':
			i++
			b.WriteByte('\t')
		default:
			n, err := strconv.ParseUint(text[min(i+1, len(text)):min(i+3, len(text))], 16, 8)
			if err != nil {
				fail("line %d: a backslash is followed by two hexadecimal digits", line)
			}
			i += 2
			b.WriteByte(byte(n))
		}
	}
	fail("line %d: a text is not closed", line)
	return "", 0
}

func at(text string, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}
