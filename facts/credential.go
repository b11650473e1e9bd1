package facts

import (
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// Credential is a credential that stands in a text.
type Credential struct {
	Kind string // "github token"
	At   hook.Span
	// Sure is false where only a name and the look of a value speak for it, and where a
	// checksum does not fit: such a token was made up.
	Sure bool
}

// Credentials finds the credentials in a text, in the order in which they stand
// there, without overlaps. What only stands where a credential would, as in an
// example, is none.
//
// A text may be made so that a search takes long. The work for each byte is bounded: what
// was not searched then is one thing of a kind of its own, and not sure.
func Credentials(text string) []Credential {
	var out []Credential
	work, low := effortFor(text), asciiLower(text)
	noEnd := 0 // up to here no block of a private key ends
	end := strict().scan(low, &work, func(r *recogniser, _, at int) {
		if len(out) > 0 && at < out[len(out)-1].At.To {
			return
		}
		from, to, ok := r.match(text, at)
		work.spend(r.cost(low, at, to, ok))
		if !ok || !r.real(text[from:to]) || overlaps(out, from, to) {
			return
		}
		sure := !r.guess && (r.proof == nil || r.proof(text[from:to]))
		if r.kind == privateKey {
			if to, noEnd = blockEnd(text, to, noEnd); emptyBlock(text[from:to]) {
				return
			}
		}
		out = append(out, Credential{r.kind, hook.Span{From: from, To: to}, sure})
	})
	walletKeys(text[:end], func(at hook.Span) { out = append(out, Credential{walletKind, at, true}) })
	slices.SortFunc(out, func(a, b Credential) int { return a.At.From - b.At.From })
	out = apart(out)
	if len(out) > 0 {
		end = max(end, out[len(out)-1].At.To)
	}
	if end < len(text) {
		out = append(out, Credential{Kind: notSearched, At: hook.Span{From: end, To: len(text)}})
	}
	return out
}

// notSearched is the kind of a text that was too much work.
const notSearched = "text that was not searched"

// Searched reports whether c is a credential that was found, and not the rest of a text
// that was too much work to be searched: nobody knows whether that holds one.
func (c Credential) Searched() bool { return c.Kind != notSearched }

// maxLooks bounds how many of the credentials before it one is compared with at once.
const maxLooks = 32

// overlaps reports whether one of the last credentials lies in the same place.
func overlaps(list []Credential, from, to int) bool {
	return slices.ContainsFunc(list[max(0, len(list)-maxLooks):], func(c Credential) bool { return c.At.From < to && from < c.At.To })
}

// apart leaves out those of a list in order that begin before the one before them ends.
func apart(list []Credential) []Credential {
	end := 0
	return slices.DeleteFunc(list, func(c Credential) bool {
		if c.At.From < end {
			return true
		}
		end = c.At.To
		return false
	})
}

// Mask replaces each credential of a text by its kind: "[secret: github token]".
func Mask(text string) string {
	found := Credentials(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, c := range found {
		b.WriteString(text[at:c.At.From])
		b.WriteString(masked(c.Kind))
		at = c.At.To
	}
	b.WriteString(text[at:])
	return b.String()
}

// masked stands in for a credential.
func masked(kind string) string { return "[secret: " + kind + "]" }

// privateKey is the kind of which the text is a block of lines.
const privateKey = "private key"

// maxBlock bounds a block of a private key.
const maxBlock = 32 << 10

// leastBlock is how much a block of a private key holds at least.
const leastBlock = 16

// emptyBlock reports whether a block has an end and only dots, or a word, inside.
func emptyBlock(block string) bool {
	_, body, _ := strings.Cut(block, "-----\n")
	body, _, ended := strings.Cut(body, "-----END")
	return ended && span(strings.ReplaceAll(body, "\n", ""), letter) < leastBlock && len(body) < 4*leastBlock
}

// blockEnd is where a block of a private key ends, by its header's end. Between that and
// noEnd there is none, which has been looked at; it gives how far that goes now.
func blockEnd(text string, header, noEnd int) (end, none int) {
	const mark = "-----END "
	last := min(len(text), header+maxBlock)
	from := min(max(header, noEnd), last)
	i := strings.Index(text[from:last], mark)
	if i < 0 {
		return header, max(noEnd, last-len(mark)+1)
	}
	i += from + len(mark)
	if j := strings.Index(text[i:min(len(text), i+60)], "-----"); j >= 0 {
		return i + j + len("-----"), noEnd
	}
	return i, noEnd
}

// effort is the work that may still be done for a text, in bytes that patterns look at.
type effort int

// effortFor is the work that a text of its length is worth. What is written by people and
// programs takes a small part of it.
func effortFor(text string) effort { return effort(256<<10 + len(text)/4) }

// spend takes something off.
func (e *effort) spend(n int) { *e -= effort(n) }

// costOfLook is what it costs to look at what stands around a literal.
const costOfLook = 3

// literalIndex finds the literals of recognisers in one pass: a bit says for each three
// bytes whether one begins so, and each pair leads to those that do.
type literalIndex struct {
	heads  [1 << 9]uint64
	starts [1 << 12]uint16 // by pair: 0 is none, else one more than the place in groups
	groups [][]literalOf
	size   int // how many recognisers there are
}

type literalOf struct {
	text   string
	number int
	*recogniser
}

var strict = sync.OnceValue(func() *literalIndex {
	x := &literalIndex{}
	for _, r := range recogniserTable() {
		x.add(r)
	}
	return x
})

// pair is a place for two bytes; some share one.
func pair(a, b byte) int { return (int(a)<<5 ^ int(b)) & (1<<12 - 1) }

// head is the place of three bytes in heads; some share one.
func head(a, b, c byte) (at, bit uint) {
	h := uint(a)<<10 ^ uint(b)<<5 ^ uint(c)
	return h >> 6 & (1<<9 - 1), h & 63
}

// begin notes how a literal begins.
func (x *literalIndex) begin(l string) {
	for c := range 256 {
		if len(l) > 2 {
			c = int(l[2])
		}
		at, bit := head(l[0], l[1], byte(c))
		x.heads[at] |= 1 << bit
	}
}

func (x *literalIndex) add(r *recogniser) {
	for _, l := range r.literals {
		x.begin(l)
		pair := pair(l[0], l[1])
		if x.starts[pair] == 0 {
			x.groups = append(x.groups, nil)
			x.starts[pair] = uint16(len(x.groups))
		}
		g := &x.groups[x.starts[pair]-1]
		*g = append(*g, literalOf{l, x.size, r})
	}
	x.size++
}

// scan gives each literal that stands in a text of small letters, with the number of its
// recogniser. It gives the place up to which it came before the work was too much.
func (x *literalIndex) scan(low string, work *effort, found func(r *recogniser, n, at int)) int {
	for at := 0; at+1 < len(low); at++ {
		if at+2 < len(low) {
			if place, bit := head(low[at], low[at+1], low[at+2]); x.heads[place]>>bit&1 == 0 {
				continue
			}
		}
		group := x.starts[pair(low[at], low[at+1])]
		if group == 0 {
			continue
		}
		for i := range x.groups[group-1] {
			l := &x.groups[group-1][i]
			if !strings.HasPrefix(low[at:], l.text) {
				continue
			}
			if *work <= 0 {
				return at
			}
			if l.likely != nil {
				work.spend(costOfLook)
				if !l.likely(low, at, at+len(l.text)) {
					continue
				}
			}
			if work.spend(costOfLook); l.possible(low, at) {
				found(l.recogniser, l.number, at)
			}
		}
	}
	return len(low)
}
