package guards

import (
	_ "embed"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A text leans towards an order by the words of a few sentences and by what they do
// together: each has a weight, and weights are added. They were learned from texts that
// are orders and from those that are not.

//go:embed lean.txt
var leanFile string

// leanings are the weights of lean.txt, in hundredths.
type leanings struct {
	bias   int
	traits [numTraits]int
	places map[uint32]uint32 // of a word, or of two in a row
	words  []int16           // by place
}

// learned is lean.txt. Whether it can be read depends on that file alone: a test reads it.
var learned = sync.OnceValue(func() *leanings {
	l, err := readLeanings(leanFile)
	if err != nil {
		panic("lean.txt: " + err.Error())
	}
	return l
})

// readLeanings reads lines of a weight and what it is of: "." is where all begin, "+"
// with its name a trait, else one word or two.
func readLeanings(src string) (*leanings, error) {
	l := &leanings{places: map[uint32]uint32{}}
	for line := range strings.Lines(src) {
		number, of, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || number == "#" {
			continue
		}
		weight, err := strconv.ParseInt(number, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("invalid line %q: want a weight and a word", line)
		}
		trait, isTrait := strings.CutPrefix(of, "+")
		n := slices.Index(traitNames[:], trait)
		switch {
		case of == ".":
			l.bias = int(weight)
		case isTrait && n < 0:
			return nil, fmt.Errorf("invalid line %q: want the name of a trait", line)
		case isTrait:
			l.traits[n] = int(weight)
		default:
			h := uint32(0)
			for i, word := range strings.Fields(of) {
				if h = hashOf(word); i > 0 {
					h = both(hashOf(of[:strings.IndexByte(of, ' ')]), h)
				}
			}
			l.places[h] = uint32(len(l.words))
			l.words = append(l.words, int16(weight))
		}
	}
	return l, nil
}

func (l *leanings) place(hash uint32, _, _ string) (uint32, bool) {
	at, ok := l.places[hash]
	return at, ok
}

// How far a text must lean to give orders, in hundredths: by itself, and if its parts say
// so already.
const (
	leansFar  = 10
	leansLess = -120
)

// score says how far the sentences of a text lean that do so most, and where they are.
// Without a word that matters it is leansLess.
func (l *leaning) score() (most int, best passage) {
	w := learned()
	most = leansLess
	count, sum, first, last := make([]uint16, len(w.words)), w.bias, 0, 0
	turn := func(c *clause, by int) {
		for _, place := range c.words {
			if by > 0 {
				if count[place]++; count[place] == 1 {
					sum += int(w.words[place])
				}
			} else if count[place]--; count[place] == 0 {
				sum -= int(w.words[place])
			}
		}
	}
	found := false
	l.passages(func(p passage) bool {
		for ; last <= p.last; last++ {
			turn(&l.list[last], 1)
		}
		for ; first < p.first; first++ {
			turn(&l.list[first], -1)
		}
		all := sum
		for t := uint64(p.t); t != 0; t &= t - 1 {
			all += w.traits[bits.TrailingZeros64(t)]
		}
		if all > most || !found {
			most, best, found = all, p, true
		}
		return true
	})
	return most, best
}

// way names what a text does that leans far.
func (t traits) way() string {
	for _, w := range []struct {
		of  traits
		way string
	}{{unseenBy, wayHidden}, {setsAside | dropsTask, wayAside}, {keepsFrom | keepsUser | hushes, waySecret}, {sendsOut | privateTo, wayExfil}, {asRole, wayRole}} {
		if t&w.of != 0 {
			return w.way
		}
	}
	return wayAgent
}

// passage is a few sentences of a text.
type passage struct {
	at    int
	t     traits
	first int // of the clauses
	last  int
}

// leaning is what the clauses of a text are, once for each text.
type leaning struct {
	r    *reading
	list []clause
}

// lean splits a text into clauses.
func (r *reading) lean() *leaning {
	return r.leanWith(learned().place, false)
}

func (r *reading) leanWith(place placeOf, named bool) *leaning {
	l := &leaning{r: r}
	c := clauses{r: r, words: wordStems().find(folded(r.text))}
	if len(c.words) == 0 {
		return l
	}
	tok := tokens{text: r.text, place: place, named: named}
	next := 0
	for tok.clause() {
		first := next
		for next < len(c.words) && c.words[next].from < tok.at {
			next++
		}
		cl := c.one(c.words[first:next])
		if len(tok.words) == 0 && first == next {
			continue
		}
		cl.from, cl.to = tok.from, tok.at
		cl.words = append([]uint32(nil), tok.words...)
		l.list = append(l.list, cl)
	}
	return l
}

// passages gives each few sentences that ask for something.
func (l *leaning) passages(yield func(p passage) bool) {
	for i := range l.list {
		p := passage{at: l.list[i].from, t: l.list[i].t, first: i, last: i}
		for j := i + 1; j < len(l.list) && j <= i+3 && l.list[j].to-l.list[i].from <= l.wide(i); j++ {
			p.t |= l.list[j].t
			p.last = j
		}
		if p.t == 0 {
			continue
		}
		if l.r.abouts > 0 {
			p.t |= about
		}
		if l.r.abouts > 2 {
			p.t |= aboutMuch
		}
		p.t = p.t.mix()
		if !yield(p) {
			return
		}
	}
}

// wide is how many bytes belong together: more of letters that take two or three.
func (l *leaning) wide(i int) int {
	if c := l.list[i]; strings.ContainsFunc(l.r.text[c.from:min(c.to, c.from+16)], func(r rune) bool { return r >= 0x370 }) {
		return 2 * stanceReach
	}
	return stanceReach
}

// judged says how a text gives orders, and where: by its parts, and by how far it leans.
func (r *reading) judged() (way string, at int) {
	if way, at = r.orders(); way == "" {
		way, at = r.weighed()
	}
	far, p := r.lean().score()
	switch {
	case way != "" && far >= leansLess:
		return way, at
	case far >= leansFar && !(p.t&quotes != 0 && p.t&aboutMuch != 0):
		return p.t.way(), p.at
	}
	return "", 0
}
