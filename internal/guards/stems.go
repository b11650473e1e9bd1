package guards

import (
	_ "embed"
	"slices"
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
// Most of its states lead on as another one does, but for a byte or two: they share
// that one's row of the table.
type automaton struct {
	class  [256]byte // of a byte: those that no stem has are 0
	width  int
	states []state
	rows   []uint16   // where each class leads
	found  [][]uint16 // stems that end at a state
	stems  []stem
}

// state is where a text has led so far: 0 is the beginning of all stems.
type state struct {
	row   uint16    // its place in rows, in widths
	found uint16    // one more than its place in found; 0: no stem ends
	own   [2]uint16 // where it leads otherwise than the row
	class [2]byte   // of which bytes; 0: of none
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

// way leads from one state to a longer one.
type way struct {
	class byte
	to    uint16
}

// build makes the automaton: a trie, and from each state the way on if it breaks off.
func build(list []stem) *automaton {
	a := &automaton{stems: list, width: 1}
	for _, s := range list {
		for i := range len(s.text) {
			if a.class[s.text[i]] == 0 {
				a.class[s.text[i]] = byte(a.width)
				a.width++
			}
		}
	}
	ways, ending := [][]way{nil}, [][]uint16{nil}
	for n, s := range list {
		at := 0
		for i := range len(s.text) {
			class := a.class[s.text[i]]
			known := slices.IndexFunc(ways[at], func(w way) bool { return w.class == class })
			if known < 0 {
				known = len(ways[at])
				ways[at] = append(ways[at], way{class, uint16(len(ways))})
				ways, ending = append(ways, nil), append(ending, nil)
			}
			at = int(ways[at][known].to)
		}
		ending[at] = append(ending[at], uint16(n))
	}
	a.link(ways, ending)
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	for _, c := range "\t\n\r" {
		a.class[c] = a.class[' ']
	}
	return a
}

// link makes states of a trie, from the shortest.
func (a *automaton) link(ways [][]way, ending [][]uint16) {
	a.states = make([]state, len(ways))
	back := make([]uint16, len(ways)) // the state that is left of one when its beginning goes
	for queue := []uint16{0}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		rest := a.states[back[at]]
		if at != 0 && rest.found != 0 {
			ending[at] = append(ending[at], a.found[rest.found-1]...)
		}
		for _, w := range ways[at] {
			if at != 0 {
				back[w.to] = a.step(back[at], w.class)
			}
			queue = append(queue, w.to)
		}
		s := &a.states[at]
		if *s = rest; at == 0 || !s.differ(ways[at]) {
			row := make([]uint16, a.width)
			for c := range row {
				if at != 0 {
					row[c] = a.step(back[at], byte(c))
				}
			}
			for _, w := range ways[at] {
				row[w.class] = w.to
			}
			*s = state{row: uint16(len(a.rows) / a.width)}
			a.rows = append(a.rows, row...)
		}
		if s.found = 0; len(ending[at]) > 0 {
			a.found = append(a.found, ending[at])
			s.found = uint16(len(a.found))
		}
	}
}

// differ has a state lead on in some ways otherwise than its row, if there is room for
// them.
func (s *state) differ(ways []way) bool {
	for _, w := range ways {
		at := slices.Index(s.class[:], w.class)
		if at < 0 {
			at = slices.Index(s.class[:], 0)
		}
		if at < 0 {
			return false
		}
		s.class[at], s.own[at] = w.class, w.to
	}
	return true
}

// step is the state after one more byte, of which the class is given.
func (a *automaton) step(at uint16, class byte) uint16 {
	s := &a.states[at]
	switch {
	case class == 0:
		return 0
	case class == s.class[0]:
		return s.own[0]
	case class == s.class[1]:
		return s.own[1]
	}
	return a.rows[int(s.row)*a.width+int(class)]
}

// find gives the stems in a text, in the order in which they end.
func (a *automaton) find(text string) []signal {
	var out []signal
	at, clause, before := uint16(0), 0, byte(0)
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
		at = a.step(at, class)
		if a.states[at].found == 0 {
			continue
		}
		for _, n := range a.found[a.states[at].found-1] {
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
