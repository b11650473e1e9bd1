package facts

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// A Varying is a part of a credential that is another in each credential of its kind.
type Varying struct {
	At     hook.Span
	ranges []rune // of which its characters are, in pairs; nil is any
}

// Takes reports whether a character may stand in the part.
func (v *Varying) Takes(r rune) bool {
	if v.ranges == nil {
		return true
	}
	for i := 0; i+1 < len(v.ranges); i += 2 {
		if r >= v.ranges[i] && r <= v.ranges[i+1] {
			return true
		}
	}
	return false
}

// VaryingParts gives the parts of a credential that vary, in order. What lies between them
// tells its kind, as "ghp_" does, or says that it is an example. known is false where nothing
// in the text itself tells a kind.
func VaryingParts(secret string) (parts []Varying, known bool) {
	low := asciiLower(secret)
	best := 0
	parts = []Varying{{At: hook.Span{To: len(secret)}}}
	for _, f := range formsOfKinds() {
		if !f.byName && !slices.ContainsFunc(f.literals, func(l string) bool { return strings.Contains(low, l) }) {
			continue
		}
		m := f.find(secret)
		if m == nil || m[1]-m[0] <= best {
			continue
		}
		best, parts, known = m[1]-m[0], f.parts(secret, m), true
	}
	stays := make([]bool, len(secret))
	if known {
		for i := range beginOf(low) {
			stays[i] = true
		}
	}
	for _, word := range exampleParts {
		for at := 0; ; at += len(word) {
			n := strings.Index(low[at:], word)
			if n < 0 {
				break
			}
			at += n
			for i := range len(word) {
				stays[at+i] = true
			}
		}
	}
	return moving(parts, stays), known
}

// moving is parts without the bytes that stay.
func moving(parts []Varying, stays []bool) (out []Varying) {
	for _, p := range parts {
		for at := p.At.From; at < p.At.To; {
			end := at
			for end < p.At.To && stays[end] == stays[at] {
				end++
			}
			if !stays[at] {
				out = append(out, Varying{hook.Span{From: at, To: end}, p.ranges})
			}
			at = end
		}
	}
	return out
}

// beginOf is how long the longest literal is that a text begins with: "sk-ant-" says more
// than "sk-".
func beginOf(low string) (n int) {
	for _, f := range formsOfKinds() {
		for _, l := range f.literals {
			if !f.byName && strings.HasPrefix(low, l) {
				n = max(n, len(l))
			}
		}
	}
	return n
}

// ExamplesLike are the words that stand for passwords in examples, and are as long as one of
// these; none if that is none.
func ExamplesLike(word string) (words []string) {
	if !slices.Contains(exampleWords, asciiLower(word)) {
		return nil
	}
	for _, w := range exampleWords {
		if len(w) == len(word) {
			words = append(words, w)
		}
	}
	return words
}

// form is the pattern of a kind alone, without what stands around it in a text. Each of its
// parts that vary is a group.
type form struct {
	literals []string
	byName   bool
	tree     *syntax.Regexp
	ranges   [][]rune // of each group

	once sync.Once
	re   *regexp.Regexp
}

// formsOfKinds are those of all kinds that a form tells.
var formsOfKinds = sync.OnceValue(func() (all []*form) {
	for _, r := range slices.Concat(recogniserTable(), shapes()) {
		if r.kind == "" || r == assignedSecret || r.kind == privateKey {
			continue
		}
		tree, err := syntax.Parse(r.pattern, syntax.Perl)
		if err != nil {
			continue
		}
		f := &form{literals: r.literals, byName: r.byName}
		f.tree = f.grouped(own(tree, r.open))
		all = append(all, f)
	}
	return all
})

// own is what of a pattern is the credential: its group, or what follows that where the
// group is kept.
func own(tree *syntax.Regexp, open bool) *syntax.Regexp {
	if group := firstGroup(tree); group != nil && !open {
		return group.Sub[0]
	}
	if open && tree.Op == syntax.OpConcat && tree.Sub[0].Op == syntax.OpCapture {
		rest := *tree
		rest.Sub = tree.Sub[1:]
		return &rest
	}
	return tree
}

func firstGroup(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpCapture {
		return re
	}
	for _, sub := range re.Sub {
		if group := firstGroup(sub); group != nil {
			return group
		}
	}
	return nil
}

// mostFixed is how long a part is at most that says nothing of a secret.
const mostFixed = 3

// grouped puts a group around each part of a pattern that is repeated.
func (f *form) grouped(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpRepeat && re.Max >= 0 && re.Max <= mostFixed && re.Sub[0].Op == syntax.OpCharClass { // a version, as in "sk-ant-api03-"
			return re
		}
		var ranges []rune
		if re.Sub[0].Op == syntax.OpCharClass {
			ranges = re.Sub[0].Rune
		}
		f.ranges = append(f.ranges, ranges)
		return &syntax.Regexp{Op: syntax.OpCapture, Cap: len(f.ranges), Sub: []*syntax.Regexp{re}}
	case syntax.OpCapture:
		return f.grouped(re.Sub[0])
	}
	out := *re
	out.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		out.Sub[i] = f.grouped(sub)
	}
	return &out
}

// find finds the form in a text; where only a name before it tells the kind, all of it.
func (f *form) find(text string) []int {
	f.once.Do(func() {
		pattern := f.tree.String()
		if f.byName {
			pattern = "^(?:" + pattern + ")$"
		}
		f.re = regexp.MustCompile(pattern)
	})
	return f.re.FindStringSubmatchIndex(text)
}

// parts are those of a match that vary, and all that is not in it.
func (f *form) parts(text string, m []int) (parts []Varying) {
	add := func(from, to int, ranges []rune) {
		if from < to {
			parts = append(parts, Varying{hook.Span{From: from, To: to}, ranges})
		}
	}
	add(0, m[0], nil)
	for i, ranges := range f.ranges {
		if at := 2 + 2*i; m[at] >= 0 {
			add(m[at], m[at+1], ranges)
		}
	}
	add(m[1], len(text), nil)
	return parts
}
