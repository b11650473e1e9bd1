package guards

import (
	_ "embed"
	"fmt"
	"iter"
	"math"
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
	rows   []uint16 // where each class leads
	found  []ending
	stems  []stem
}

// state is where a text has led so far: 0 is the beginning of all stems.
type state struct {
	row   uint16    // its place in rows, in widths
	found uint16    // the place in found of the first stem that ends; 0: none does
	own   [2]uint16 // where it leads otherwise than the row
	class [2]byte   // of which bytes; 0: of none
}

// ending is a stem that ends at a state, and where the next one stands in found.
type ending struct{ stem, next uint16 }

// stems is the automaton of orders.txt. Whether it fits depends on that file alone: a test
// builds it.
var stems = sync.OnceValue(func() *automaton {
	a, err := build(readStems(stemFile))
	if err != nil {
		panic("orders.txt: " + err.Error())
	}
	return a
})

// maxStates is how many states, and how many stems, an automaton can tell apart.
const maxStates = math.MaxUint16

func readStems(src string) []stem {
	var out []stem
	for _, w := range tagged() {
		out = append(out, stem{kind: 'N', text: w, start: true})
	}
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

// tagged are names of members and tags that have something for an agent: ai-directive.
var tagged = sync.OnceValue(func() (out []string) {
	for _, who := range []string{"ai", "llm", "assistant"} {
		for _, what := range []string{"directive", "instruction", "override"} {
			for _, between := range "-_" {
				out = append(out, who+string(between)+what)
			}
		}
	}
	return out
})

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// trie is all stems by their beginnings. Its nodes are the states; each has a list of
// those that are one byte longer.
type trie struct {
	class      []byte
	first, nth []uint16 // the first of the longer ones, and the next of the same length
	ends       []uint16 // the stems that end there: the first one's place in found
}

// ways gives the longer ones of a node.
func (t *trie) ways(at uint16) iter.Seq2[byte, uint16] {
	return func(yield func(byte, uint16) bool) {
		for to := t.first[at]; to != 0 && yield(t.class[to], to); to = t.nth[to] {
		}
	}
}

// add gives the node that is one byte longer.
func (t *trie) add(at uint16, class byte) uint16 {
	for is, to := range t.ways(at) {
		if is == class {
			return to
		}
	}
	to := uint16(len(t.class))
	t.class, t.first = append(t.class, class), append(t.first, 0)
	t.nth, t.ends = append(t.nth, t.first[at]), append(t.ends, 0)
	t.first[at] = to
	return to
}

// build makes the automaton: a trie, and from each state the way on if it breaks off. It
// refuses a list that has too much to be told apart.
func build(list []stem) (*automaton, error) {
	if len(list) >= maxStates {
		return nil, fmt.Errorf("%d stems: want fewer than %d", len(list), maxStates)
	}
	a := &automaton{stems: list, width: 1, found: make([]ending, 1, 2*len(list))}
	for _, s := range list {
		for i := range len(s.text) {
			if a.class[s.text[i]] == 0 {
				if a.width > math.MaxUint8 {
					return nil, fmt.Errorf("stems with more than %d different bytes: use fewer", math.MaxUint8)
				}
				a.class[s.text[i]] = byte(a.width)
				a.width++
			}
		}
	}
	t := &trie{class: make([]byte, 1, 1<<15), first: make([]uint16, 1, 1<<15), nth: make([]uint16, 1, 1<<15), ends: make([]uint16, 1, 1<<15)}
	for n, s := range list {
		if len(t.class)+len(s.text) > maxStates {
			return nil, fmt.Errorf("stem %d of %d makes more than %d states: use fewer or shorter ones", n+1, len(list), maxStates)
		}
		at := uint16(0)
		for i := range len(s.text) {
			at = t.add(at, a.class[s.text[i]])
		}
		a.found = append(a.found, ending{stem: uint16(n)})
		t.ends[at] = a.after(t.ends[at], uint16(len(a.found)-1))
	}
	a.link(t)
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	for _, c := range "\t\n\r" {
		a.class[c] = a.class[' ']
	}
	return a, nil
}

// link makes states of a trie, from the shortest.
func (a *automaton) link(t *trie) {
	a.states = make([]state, len(t.class))
	back := make([]uint16, len(t.class)) // the state that is left of one when its beginning goes
	queue := make([]uint16, 1, len(t.class))
	for n := 0; n < len(queue); n++ {
		at := queue[n]
		rest := a.states[back[at]]
		for class, to := range t.ways(at) {
			if at != 0 {
				back[to] = a.step(back[at], class)
			}
			queue = append(queue, to)
		}
		s := &a.states[at]
		if *s = rest; at == 0 || !s.differ(t.ways(at)) {
			*s = state{row: a.row(t, at, back[at])}
		}
		s.found = a.after(t.ends[at], rest.found)
	}
}

// row adds a row for a state.
func (a *automaton) row(t *trie, at, back uint16) (place uint16) {
	row := make([]uint16, a.width)
	for c := range row {
		if at != 0 {
			row[c] = a.step(back, byte(c))
		}
	}
	for class, to := range t.ways(at) {
		row[class] = to
	}
	a.rows = append(a.rows, row...)
	return uint16(len(a.rows)/a.width - 1)
}

// after has the stems of one list follow those of another, which no other state has.
func (a *automaton) after(own, rest uint16) uint16 {
	if own == 0 {
		return rest
	}
	last := own
	for a.found[last].next != 0 {
		last = a.found[last].next
	}
	a.found[last].next = rest
	return own
}

// differ has a state lead on in some ways otherwise than its row, if there is room for
// them.
func (s *state) differ(ways iter.Seq2[byte, uint16]) bool {
	for class, to := range ways {
		at := slices.Index(s.class[:], class)
		if at < 0 {
			at = slices.Index(s.class[:], 0)
		}
		if at < 0 {
			return false
		}
		s.class[at], s.own[at] = class, to
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
		for end := a.states[at].found; end != 0; end = a.found[end].next {
			s := &a.stems[a.found[end].stem]
			from := i + 1 - len(s.text)
			if from < 0 || s.start && from > 0 && inWord(text[from-1]) && !(part(s.kind) && text[from-1] == '_' && !strings.HasPrefix(text[i+1:], "=")) || s.stop && i+1 < len(text) && inWord(text[i+1]) {
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

// part reports whether stems of a kind stand in longer names, too: GITHUB_TOKEN,
// is_injection.
func part(kind byte) bool { return kind == 'O' || kind == 'A' }
