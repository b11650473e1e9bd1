package guards

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"
)

//go:embed words.txt
var wordFile string

// stem is a word, or the beginning of words, that means something, as words.txt lists them.
type stem struct {
	kind        byte
	text        string
	start, stop bool // it begins, or ends, at the edge of a word
}

// signal is a stem in a text.
type signal struct {
	kind     byte
	from, to int
}

// stemTree finds all stems in one pass over the bytes of a text. Most of them begin where a
// word does, and from there most texts lead nowhere after two or three bytes. A state leads
// on to the place of its ways and the class of the next byte, if that place is its own.
type stemTree struct {
	class [256]byte      // of a byte: those that no stem has are 0
	does  [256]byte      // what a byte may do
	heads [1 << 9]uint64 // which three bytes stems begin with, as bits: some share one
	seats []seat         // the states: 0 is the beginning of all stems
	found []ending
	stems []stem
}

// What a byte may do: begin a stem at the edge of a word, or anywhere, and end a clause.
const (
	opensWord = 1 << iota
	opensAny
	endsClause
)

// seat is what a state has.
type seat struct {
	ways  uint32 // where the places of the next states begin
	owner uint32 // the state before it, plus one; 0: the place is free
	found uint16 // the place in found of the first stem that ends; 0: none does
}

// ending is a stem that ends at a state, and where the next one stands in found.
type ending struct{ stem, next uint16 }

// stems is the tree of words.txt. Whether it fits depends on that file alone: a test
// builds it.
var stems = sync.OnceValue(func() *stemTree {
	x, err := build(append(readStems(wordFile), tagged()...))
	if err != nil {
		panic("words.txt: " + err.Error())
	}
	return x
})

func readStems(src string) (out []stem) {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if len(line) < 3 || line[0] == '#' {
			continue
		}
		for text := range strings.SplitSeq(line[2:], " | ") {
			s := stem{kind: line[0], text: strings.TrimSpace(text)}
			s.stop = strings.HasSuffix(s.text, "_")
			s.start = strings.HasPrefix(s.text, "_")
			if s.text = strings.Trim(s.text, "_"); s.text == "" {
				continue
			}
			s.start = s.start || letter(s.text[0])
			out = append(out, s)
		}
	}
	return out
}

// tagged are names of members and tags that have something for an agent: ai-directive,
// note_for_assistant.
func tagged() (out []stem) {
	add := func(text string) { out = append(out, stem{kind: 'N', text: text, start: true}) }
	for _, who := range []string{"ai", "llm", "agent", "agents", "assistant", "model", "claude", "copilot", "bot", "bots"} {
		for _, between := range []string{"-", "_", " "} {
			for _, what := range []string{"directive", "instruction", "override", "note", "hint", "message", "task", "request", "action", "prompt", "comment", "command", "step", "remark"} {
				if who != "model" && (between != " " || who == "ai" || who == "llm") {
					add(who + between + what)
				}
				for _, to := range []string{"for", "to"} {
					add(what + between + to + between + who)
					add(what + "s" + between + to + between + who)
				}
			}
			if between != " " {
				add("for" + between + who)
			}
		}
	}
	return out
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// head is the place of three bytes in heads.
func (x *stemTree) head(a, b, c byte) (at, bit uint) {
	h := uint(x.class[a])<<10 ^ uint(x.class[b])<<5 ^ uint(x.class[c])
	return h >> 6 & (1<<9 - 1), h & 63
}

// begin notes how stems begin: of shorter ones whatever follows.
func (x *stemTree) begin() {
	note := func(a, b, c byte) {
		at, bit := x.head(a, b, c)
		x.heads[at] |= 1 << bit
	}
	noteAll := func(a, b byte) {
		for c := range math.MaxUint8 + 1 {
			note(a, b, byte(c))
		}
	}
	for _, s := range x.stems {
		switch t := s.text; {
		case len(t) == 1:
			for b := range math.MaxUint8 + 1 {
				noteAll(t[0], byte(b))
			}
		case len(t) == 2 || t[1] == ' ':
			noteAll(t[0], t[1])
		case t[0] == 0xC3, t[1] == 0xC3: // a capital letter is the same
			noteAll(t[0], t[1])
			noteAll(t[0], t[1]-0x20)
		default:
			note(t[0], t[1], t[2])
		}
	}
}

// sapling is the tree while it grows: of each state its class, the first of those that are
// one byte longer, the next of the same length, and the stems that end there.
type sapling struct {
	class      []byte
	first, nth []uint32
	found      []uint16
}

// add gives the state that is one byte longer.
func (t *sapling) add(at uint32, class byte) uint32 {
	for to := t.first[at]; to != 0; to = t.nth[to] {
		if t.class[to] == class {
			return to
		}
	}
	t.class, t.first, t.found = append(t.class, class), append(t.first, 0), append(t.found, 0)
	t.nth = append(t.nth, t.first[at])
	t.first[at] = uint32(len(t.class) - 1)
	return t.first[at]
}

// build makes the tree. It refuses a list that has too much to be told apart.
func build(list []stem) (*stemTree, error) {
	if len(list) >= math.MaxUint16 {
		return nil, fmt.Errorf("%d stems: want fewer than %d", len(list), math.MaxUint16)
	}
	x := &stemTree{stems: list, found: make([]ending, 1, len(list)+1)}
	if err := x.classes(); err != nil {
		return nil, err
	}
	t := &sapling{class: make([]byte, 1, 1<<15), first: make([]uint32, 1, 1<<15), nth: make([]uint32, 1, 1<<15), found: make([]uint16, 1, 1<<15)}
	for n, s := range list {
		at := uint32(0)
		for i := range len(s.text) {
			at = t.add(at, x.class[s.text[i]])
		}
		x.found = append(x.found, ending{stem: uint16(n), next: t.found[at]})
		t.found[at] = uint16(len(x.found) - 1)
	}
	x.settle(t)
	x.begin()
	return x, nil
}

// classes numbers the bytes that stems have.
func (x *stemTree) classes() error {
	width := 1
	for _, s := range x.stems {
		for i := range len(s.text) {
			if x.class[s.text[i]] == 0 {
				if width > math.MaxUint8 {
					return fmt.Errorf("stems with more than %d different bytes: use fewer", math.MaxUint8)
				}
				x.class[s.text[i]] = byte(width)
				width++
			}
		}
		does := byte(opensAny)
		if s.start && letter(s.text[0]) {
			does = opensWord
		}
		x.does[s.text[0]] |= does
	}
	for c := byte('A'); c <= 'Z'; c++ {
		x.class[c], x.does[c] = x.class[c+'a'-'A'], x.does[c+'a'-'A']
	}
	for _, c := range "\t\n\r" {
		x.class[c], x.does[c] = x.class[' '], x.does[' ']
	}
	for _, c := range []byte(".!?;\n\x81\x82\x9f") {
		x.does[c] |= endsClause
	}
	return nil
}

// settle gives each state a seat, those with the shortest beginnings first: they are
// looked at most, and lie together.
func (x *stemTree) settle(t *sapling) {
	x.seats = make([]seat, math.MaxUint8+1, 2*len(t.class))
	x.seats[0].owner = math.MaxUint32
	at := make([]uint32, len(t.class)) // where a state is
	queue, free := make([]uint32, 1, len(t.class)), 1
	var ways []uint32
	for n := 0; n < len(queue); n++ {
		s := queue[n]
		x.seats[at[s]].found = t.found[s]
		ways = ways[:0]
		for to := t.first[s]; to != 0; to = t.nth[to] {
			ways = append(ways, to)
		}
		if len(ways) == 0 {
			continue
		}
		for x.seats[free].owner != 0 {
			free++
		}
		from := max(0, free-int(t.class[ways[0]]))
		for !x.fit(from, ways, t) {
			from++
		}
		x.seats[at[s]].ways = uint32(from)
		for _, to := range ways {
			at[to] = uint32(from) + uint32(t.class[to])
			x.seats[at[to]].owner = at[s] + 1
		}
		queue = append(queue, ways...)
	}
}

// fit reports whether ways may begin at a seat. There is always a row of free ones behind.
func (x *stemTree) fit(from int, ways []uint32, t *sapling) bool {
	if short := from + 2*(math.MaxUint8+1) - len(x.seats); short > 0 {
		x.seats = append(x.seats, make([]seat, short)...)
	}
	for _, to := range ways {
		if x.seats[from+int(t.class[to])].owner != 0 {
			return false
		}
	}
	return true
}

// find gives the stems in a text, in the order in which they end, and where its clauses
// end.
func (x *stemTree) find(text string) (out []signal, clauses []int) {
	out, clauses = make([]signal, 0, len(text)/32), make([]int, 0, len(text)/64+1)
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if does := x.does[c]; does != 0 {
			if does&endsClause != 0 && ends(text, i) {
				clauses = append(clauses, i+1)
			}
			if does&opensAny != 0 || does&opensWord != 0 && !letter(before) {
				if i+2 < len(text) {
					if at, bit := x.head(c, text[i+1], text[i+2]); x.heads[at]>>bit&1 == 0 {
						before = c
						continue
					}
				}
				out = x.from(text, i, out)
			}
		}
		before = c
	}
	return out, append(clauses, len(text))
}

// ends reports whether a clause ends with a byte.
func ends(text string, i int) bool {
	next := byte('\n')
	if i+1 < len(text) {
		next = text[i+1]
	}
	switch text[i] {
	case '.', '!', '?', ';':
		return next == ' ' || next == '\n'
	case '\n':
		return next == '\n' || next == '-' || next == '*' || next == '#' || next == '+' || next == '|'
	case 0x82:
		return i > 1 && text[i-2:i+1] == "。"
	}
	return i > 1 && (text[i-2:i+1] == "！" || text[i-2:i+1] == "？")
}

// from adds the stems that begin at a place.
func (x *stemTree) from(text string, at int, out []signal) []signal {
	state, before := uint32(0), byte(0)
	for i := at; i < len(text); i++ {
		c := text[i]
		if before == 0xC3 && c >= 0x80 && c <= 0x9E { // À to Þ
			c += 0x20
		}
		class := x.class[c]
		if class == 0 {
			return out
		}
		if blank(c) && blank(before) {
			continue
		}
		before = c
		next := x.seats[state].ways + uint32(class)
		if x.seats[next].owner != state+1 {
			return out
		}
		state = next
		for end := x.seats[state].found; end != 0; end = x.found[end].next {
			if s := &x.stems[x.found[end].stem]; s.stands(text, at, i+1) {
				out = insert(out, signal{s.kind, at, i + 1})
			}
		}
	}
	return out
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// stands reports whether a stem is one where it stands, and no part of a longer word.
func (s *stem) stands(text string, from, to int) bool {
	if s.start && from > 0 && inWord(text[from-1]) && !(part(s.kind) && text[from-1] == '_' && !strings.HasPrefix(text[to:], "=")) {
		return false
	}
	return !s.stop || to >= len(text) || !inWord(text[to])
}

// insert puts a signal where it belongs by its end. Those of one kind that overlap are one:
// the same words in another language.
func insert(out []signal, s signal) []signal {
	at := len(out)
	for at > 0 && (out[at-1].to > s.to || out[at-1].to == s.to && out[at-1].from > s.from) {
		at--
	}
	if at > 0 && out[at-1].kind == s.kind && out[at-1].to > s.from {
		out[at-1].to = max(out[at-1].to, s.to)
		return out
	}
	if at < len(out) && out[at].kind == s.kind && out[at].from < s.to {
		out[at].from = min(out[at].from, s.from)
		return out
	}
	out = append(out, s)
	copy(out[at+1:], out[at:])
	out[at] = s
	return out
}

// inWord reports whether a byte belongs to a word of Latin letters.
func inWord(c byte) bool { return letter(c) || c == '_' || c == 0xC3 }

// part reports whether stems of a kind stand in longer names, too: GITHUB_TOKEN,
// is_injection, note_for_ai.
func part(kind byte) bool { return kind == 'k' || kind == 'G' || kind == 'N' }
