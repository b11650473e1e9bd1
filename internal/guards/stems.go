package guards

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed orders.txt
var stemFile string

// stem is a part of an order, as orders.txt lists them.
type stem struct {
	kind        byte
	text        string
	start, stop bool // it begins, or ends, at the edge of a word
}

// signal is a stem in a text.
type signal struct {
	kind     byte
	from, to int
	clause   int // which one of the text it stands in
}

// maxSignals bounds the stems that are looked at in one text.
const maxSignals = 8192

// automaton finds all stems in one pass over the bytes of a text (Aho and Corasick).
type automaton struct {
	class [256]uint16 // of a byte: those that no stem has are 0
	width int
	next  []uint16 // by state and class
	found [][]int  // stems that end at a state
	stems []stem
}

var stems = sync.OnceValue(func() *automaton { return build(readStems(stemFile)) })

func readStems(src string) []stem {
	var out []stem
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || len(line) < 3 {
			continue
		}
		for text := range strings.SplitSeq(line[2:], " | ") {
			s := stem{kind: line[0], text: strings.TrimSpace(text)}
			s.stop = strings.HasSuffix(s.text, "_")
			s.start = strings.HasPrefix(s.text, "_")
			if s.text = strings.Trim(s.text, "_"); s.text == "" {
				continue
			}
			s.start = s.start || ascii(s.text) && letter(s.text[0])
			out = append(out, s)
		}
	}
	return out
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// build makes the automaton: a trie, and from each state the way on if it breaks off.
func build(list []stem) *automaton {
	a := &automaton{stems: list, width: 1}
	for _, s := range list {
		for i := range len(s.text) {
			if a.class[s.text[i]] == 0 {
				a.class[s.text[i]] = uint16(a.width)
				a.width++
			}
		}
	}
	a.grow()
	for n, s := range list {
		at := 0
		for i := range len(s.text) {
			to := &a.next[at*a.width+int(a.class[s.text[i]])]
			if *to == 0 {
				*to = uint16(len(a.found))
				a.grow()
				to = &a.next[at*a.width+int(a.class[s.text[i]])]
			}
			at = int(*to)
		}
		a.found[at] = append(a.found[at], n)
	}
	a.link()
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	for _, c := range "\t\n\r" {
		a.class[c] = a.class[' ']
	}
	return a
}

func (a *automaton) grow() {
	a.next = append(a.next, make([]uint16, a.width)...)
	a.found = append(a.found, nil)
}

// link completes the table, state by state from the shortest.
func (a *automaton) link() {
	fail := make([]uint16, len(a.found))
	var queue []uint16
	for c := range a.width {
		if to := a.next[c]; to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		at := int(queue[0])
		queue = queue[1:]
		a.found[at] = append(a.found[at], a.found[fail[at]]...)
		for c := range a.width {
			back := a.next[int(fail[at])*a.width+c]
			if to := a.next[at*a.width+c]; to != 0 {
				fail[to] = back
				queue = append(queue, to)
			} else {
				a.next[at*a.width+c] = back
			}
		}
	}
}

// find gives the stems in a text, in the order in which they end.
func (a *automaton) find(text string) []signal {
	var out []signal
	at, clause, before := 0, 0, byte(0)
	for i := range len(text) {
		c := text[i]
		if before == 0xC3 && c >= 0x80 && c <= 0x9E { // À to Þ
			c += 0x20
		}
		if ends(before, c) || c == 0x82 && before == 0x80 && i > 1 && text[i-2] == 0xE3 { // 。
			clause++
		}
		class := a.class[c]
		blank := class != 0 && class == a.class[' ']
		if blank && (before == ' ' || before == '\n' || before == '\t' || before == '\r') {
			before = c
			continue
		}
		before = c
		at = int(a.next[at*a.width+int(class)])
		for _, n := range a.found[at] {
			s := &a.stems[n]
			from := i + 1 - len(s.text)
			if from < 0 || s.start && from > 0 && inWord(text[from-1]) || s.stop && i+1 < len(text) && inWord(text[i+1]) {
				continue
			}
			if n := len(out); n > 0 && out[n-1].kind == s.kind && out[n-1].to > from { // the same words in another language
				out[n-1].to = i + 1
				continue
			}
			if out = append(out, signal{s.kind, from, i + 1, clause}); len(out) >= maxSignals {
				return out
			}
		}
	}
	return out
}

// ends reports whether a clause ends between two characters.
func ends(before, c byte) bool {
	switch before {
	case '.', '!', '?', ';':
		return c == ' ' || c == '\n'
	case '\n':
		return c == '\n' || c == '-' || c == '*' || c == '#' || c == '+' || c == '|'
	}
	return false
}

// inWord reports whether a byte belongs to a word of Latin letters.
func inWord(c byte) bool { return letter(c) || c == '_' || c == 0xC3 }
