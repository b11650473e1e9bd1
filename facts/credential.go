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
func Credentials(text string) []Credential {
	var out []Credential
	tries := 0
	strict().scan(asciiLower(text), func(r *recogniser, at int) bool {
		if len(out) > 0 && at < out[len(out)-1].At.To {
			return true
		}
		if tries++; tries > maxTries {
			return false
		}
		from, to, ok := r.match(text, at)
		if !ok || !r.real(text[from:to]) || slices.ContainsFunc(out, func(c Credential) bool { return c.At.From < to && from < c.At.To }) {
			return true
		}
		sure := !r.guess && (r.proof == nil || r.proof(text[from:to]))
		if r.kind == privateKey {
			to = blockEnd(text, to)
		}
		out = append(out, Credential{r.kind, hook.Span{From: from, To: to}, sure})
		return true
	})
	slices.SortFunc(out, func(a, b Credential) int { return a.At.From - b.At.From })
	return out
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

// blockEnd is where a block of a private key ends, by its header's end.
func blockEnd(text string, header int) int {
	i := strings.Index(text[header:min(len(text), header+maxBlock)], "-----END ")
	if i < 0 {
		return header
	}
	i += header + len("-----END ")
	if j := strings.Index(text[i:min(len(text), i+60)], "-----"); j >= 0 {
		return i + j + len("-----")
	}
	return i
}

// maxTries bounds how often patterns are tried in one text.
const maxTries = 4096

// literalIndex finds the literals of recognisers in one pass: each pair of bytes
// leads to the literals that begin so.
type literalIndex struct {
	starts [1 << 12]uint16 // by pair: 0 is none, else one more than the place in groups
	groups [][]literalOf
}

type literalOf struct {
	text string
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

func (x *literalIndex) add(r *recogniser) {
	for _, l := range r.literals {
		pair := pair(l[0], l[1])
		if x.starts[pair] == 0 {
			x.groups = append(x.groups, nil)
			x.starts[pair] = uint16(len(x.groups))
		}
		g := &x.groups[x.starts[pair]-1]
		*g = append(*g, literalOf{l, r})
	}
}

// scan gives each literal that stands in a text of small letters, until found is false.
func (x *literalIndex) scan(low string, found func(r *recogniser, at int) bool) {
	for at := 0; at+1 < len(low); at++ {
		group := x.starts[pair(low[at], low[at+1])]
		if group == 0 {
			continue
		}
		for _, l := range x.groups[group-1] {
			if !strings.HasPrefix(low[at:], l.text) || l.likely != nil && !l.likely(low, at, at+len(l.text)) {
				continue
			}
			if !found(l.recogniser, at) {
				return
			}
		}
	}
}
