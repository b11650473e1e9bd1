package facts

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
)

// maxBraces bounds the words that braces make of one.
const maxBraces = 64

func (sh *shell) braces(w *syntax.Word, at hook.Span) []*syntax.Word {
	open := 0
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			open += strings.Count(lit.Value, "{")
		}
	}
	if open > maxBraces {
		sh.unread(at, "braces make too many words")
	}
	if open == 0 || open > maxBraces {
		return []*syntax.Word{w}
	}
	parts := []syntax.WordPart(nil)
	copied := *w
	copied.Parts = append(parts, w.Parts...)
	if !syntax.SplitBraces(&copied) {
		return []*syntax.Word{w}
	}
	out := unbrace(&copied, maxBraces+1)
	if len(out) > maxBraces {
		sh.unread(at, "braces make too many words")
		out = out[:maxBraces]
	}
	return out
}

// unbrace gives the words that the first braces of a word make, and theirs, up to n.
func unbrace(w *syntax.Word, n int) []*syntax.Word {
	for i, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		var elems []*syntax.Word
		if b.Sequence {
			elems = sequence(b, n)
		} else {
			elems = b.Elems
		}
		var out []*syntax.Word
		for _, e := range elems {
			parts := append([]syntax.WordPart(nil), w.Parts[:i]...)
			parts = append(append(parts, e.Parts...), w.Parts[i+1:]...)
			out = append(out, unbrace(&syntax.Word{Parts: parts}, n-len(out))...)
			if len(out) >= n {
				break
			}
		}
		return out
	}
	return []*syntax.Word{w}
}

// sequence gives the elements of {1..9} or {a..f}.
func sequence(b *syntax.BraceExp, n int) []*syntax.Word {
	lit := func(s string) *syntax.Word {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
	}
	var ends [2]string
	for i := range ends {
		if i < len(b.Elems) {
			ends[i] = b.Elems[i].Lit()
		}
	}
	from, err1 := strconv.Atoi(ends[0])
	to, err2 := strconv.Atoi(ends[1])
	show := strconv.Itoa
	if err1 != nil || err2 != nil {
		if len(ends[0]) != 1 || len(ends[1]) != 1 {
			return []*syntax.Word{lit(string(hole))}
		}
		from, to = int(ends[0][0]), int(ends[1][0])
		show = func(i int) string { return string(rune(i)) }
	}
	step := 1
	if len(b.Elems) > 2 {
		if s, err := strconv.Atoi(b.Elems[2].Lit()); err == nil && s != 0 {
			step = max(s, -s)
		}
	}
	if from > to {
		step = -step
	}
	var out []*syntax.Word
	for i := from; (step > 0 && i <= to || step < 0 && i >= to) && len(out) < n; i += step {
		out = append(out, lit(show(i)))
	}
	return out
}
