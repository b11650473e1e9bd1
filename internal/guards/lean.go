package guards

import (
	_ "embed"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
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
	counts sync.Pool
	slots  []slot  // where the weight of a word is, or of two in a row
	words  []int16 // by place
}

// slot is a place by the hash of a word. Those that no word has are at 0: words begin
// behind it.
type slot struct{ hash, at uint32 }

// leanSlots is how many slots there are: so many that most hashes of other texts lead to a
// free one.
const leanSlots = 1 << 15

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
	l := &leanings{counts: sync.Pool{New: func() any { return new([leanSlots / 2]uint16) }}, slots: make([]slot, leanSlots), words: make([]int16, 1)}
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
			if len(l.words) >= leanSlots/2 {
				return nil, fmt.Errorf("more than %d words: use fewer", leanSlots/2)
			}
			at := l.slot(h)
			l.slots[at] = slot{h, uint32(len(l.words))}
			l.words = append(l.words, int16(weight))
		}
	}
	return l, nil
}

// slot is where a hash is, or where it would be.
func (l *leanings) slot(hash uint32) uint32 {
	at := (hash ^ hash>>15) & (leanSlots - 1)
	for l.slots[at].at != 0 && l.slots[at].hash != hash {
		at = (at + 1) & (leanSlots - 1)
	}
	return at
}

func (l *leanings) place(hash uint32, _, _ string) (uint32, bool) {
	at := l.slots[l.slot(hash)].at
	return at, at != 0
}

// How far a text must lean to give orders, in hundredths, and what a passage must come to by
// its traits alone: its words are only looked at then.
const (
	leansFar   = 10
	leansFirst = 50
)

// score says how far the sentences of a text lean that do so most, and where they are.
func (l *leaning) score() (most int, best passage) {
	w, tok := learned(), tokens{text: l.r.text, place: learned().place}
	most = leansFar - 1
	count, sum, first, last := w.counts.Get().(*[leanSlots / 2]uint16), w.bias, 0, 0
	turn := func(c *clause, by int) {
		for _, place := range l.words(c, &tok) {
			if by > 0 {
				if count[place]++; count[place] == 1 {
					sum += int(w.words[place])
				}
			} else if count[place]--; count[place] == 0 {
				sum -= int(w.words[place])
			}
		}
	}
	for p := range l.passages {
		traits := w.sum(p.t)
		if traits < leansFirst {
			continue
		}
		for ; first < min(p.first, last); first++ {
			turn(&l.list[first], -1)
		}
		first, last = p.first, max(last, p.first)
		for ; last <= p.last; last++ {
			turn(&l.list[last], 1)
		}
		if sum+traits <= most {
			continue
		}
		if p.t |= l.quotes(p); sum+w.sum(p.t) > most { // a quotation takes something off
			most, best = sum+w.sum(p.t), p
		}
	}
	for ; first < last; first++ {
		turn(&l.list[first], -1)
	}
	w.counts.Put(count)
	return most, best
}

// sum is what traits come to.
func (l *leanings) sum(t traits) (all int) {
	for left := uint64(t); left != 0; left &= left - 1 {
		all += l.traits[bits.TrailingZeros64(left)]
	}
	return all
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
	all  []uint32 // the words of the clauses that were looked at, by their place
}

// maxClause is how long a clause is, but for one that ends with the next line: what is longer
// is cut at a blank.
const maxClause = 4 * stanceReach

// lean splits a text into clauses.
func (r *reading) lean() *leaning {
	l := &leaning{r: r, list: make([]clause, 0, len(r.clauses))}
	if len(r.words) == 0 {
		return l
	}
	c := clauses{r: r}
	from, next := 0, 0
	for _, end := range r.clauses {
		for from < end {
			to := r.cut(from, end)
			first := next
			for next < len(r.words) && r.words[next].from < to {
				next++
			}
			cl := clause{from: from, to: to, t: c.one(r.words[first:next]), first: -1}
			if next > first {
				cl.middle = r.words[(first+next)/2].from
			}
			l.list = append(l.list, cl)
			from = to
		}
	}
	return l
}

// cut is where a clause ends that is not too long.
func (r *reading) cut(from, end int) int {
	if end-from <= maxClause {
		return end
	}
	if i := strings.IndexAny(r.text[from+maxClause/2:from+maxClause], " \n\t"); i >= 0 {
		return from + maxClause/2 + i + 1
	}
	to := from + maxClause
	for to < end && !utf8.RuneStart(r.text[to]) {
		to++
	}
	return to
}

// words are those of a clause. Each clause is read once.
func (l *leaning) words(c *clause, tok *tokens) []uint32 {
	if c.first < 0 {
		tok.at, tok.words, tok.before = c.from, l.all, 0
		c.first = len(l.all)
		tok.read(c.to)
		l.all = tok.words
		c.last = len(l.all)
	}
	return l.all[c.first:c.last]
}

// passages gives each few sentences that ask for something.
func (l *leaning) passages(yield func(p passage) bool) {
	for i := range l.list {
		p := passage{at: l.list[i].from, t: l.list[i].t, first: i, last: i}
		wide := l.wide(i)
		for j := i + 1; j < len(l.list) && j <= i+3 && l.list[j].to-l.list[i].from <= wide; j++ {
			p.t |= l.list[j].t
			p.last = j
		}
		if p.t == 0 {
			continue
		}
		if len(l.r.abouts) > 0 {
			p.t |= about
		}
		if len(l.r.abouts) > 2 {
			p.t |= aboutMuch
		}
		p.t = p.t.mix()
		if !yield(p) {
			return
		}
	}
}

// quotes says whether what a passage asks for is a quotation.
func (l *leaning) quotes(p passage) traits {
	for i := p.first; i <= p.last; i++ {
		c := &l.list[i]
		if c.t&things == 0 {
			continue
		}
		if c.quoted == 0 {
			c.quoted = 1
			if l.r.quoted(c.middle) {
				c.quoted = 2
			}
		}
		if c.quoted == 2 {
			return quotes
		}
	}
	return 0
}

// wide is how many bytes belong together: more of letters that take two or three.
func (l *leaning) wide(i int) int {
	c := l.list[i]
	for at := c.from; at < min(c.to, c.from+16); at++ {
		if l.r.text[at] >= 0xCD { // from the Greek letters on
			return 2 * stanceReach
		}
	}
	return stanceReach
}

// judged says how a text gives orders, and where, by how far it leans.
func (r *reading) judged() (way string, at int) {
	far, p := r.lean().score()
	if far < leansFar || p.t&quotes != 0 && p.t&aboutMuch != 0 {
		return "", 0
	}
	return p.t.way(), p.at
}
