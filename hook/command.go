package hook

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// commandPattern is a regular expression with literals of which every match contains
// one. Looking for a literal costs some nanoseconds, running a regexp some hundreds,
// and of a thousand rules hardly one matches a given command. Without such literals
// the regexp is run each time.
type commandPattern struct {
	re       *regexp.Regexp
	literals []string // one of them must occur; empty: run the regexp at once
	fold     bool     // the literals are lower case, and case does not matter
}

// newCommandPattern finds the words without which a regular expression cannot match. Most
// commands have none of them, and a search for words is cheaper than the expression.
func newCommandPattern(re *regexp.Regexp) commandPattern {
	p := commandPattern{re: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return p
	}
	need := required(tree.Simplify())
	p.literals, p.fold = need.words, need.fold
	return p
}

// match reports whether a line matches. Where a line cannot be lowered without changing its
// length, the expression decides alone.
func (p *commandPattern) match(line *commandText) bool {
	if len(p.literals) > 0 {
		text, usable := line.text, true
		if p.fold {
			text, usable = line.lowered()
		}
		if usable && !containsAny(text, p.literals) {
			return false
		}
	}
	return p.re.MatchString(line.text)
}

// containsAny reports whether one of the words stands in a text, also inside a longer one.
func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// need is a set of words, one of which every match contains.
type need struct {
	words []string
	fold  bool
}

// maxWords bounds the alternatives that are still worth looking for.
const maxWords = 16

// weight is the length of the shortest word: the longer, the fewer false alarms.
func (n need) weight() int {
	if len(n.words) == 0 {
		return 0
	}
	shortest := len(n.words[0])
	for _, w := range n.words[1:] {
		shortest = min(shortest, len(w))
	}
	return shortest
}

// required finds the best set of words in a simplified expression.
func required(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpLiteral:
		word := string(re.Rune)
		if strings.ContainsRune(word, utf8.RuneError) { // for a regexp every byte that is not text is one
			return need{}
		}
		if re.Flags&syntax.FoldCase == 0 {
			return need{words: []string{word}}
		}
		return need{words: []string{strings.ToLower(word)}, fold: true}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best need
		for _, sub := range re.Sub {
			if n := required(sub); n.weight() > best.weight() {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		return requiredOfAll(re.Sub)
	}
	return need{}
}

// requiredOfAll joins the words of all branches; a branch without any, or a mix
// of exact and folded ones, spoils the set.
func requiredOfAll(branches []*syntax.Regexp) need {
	var out need
	for i, sub := range branches {
		n := required(sub)
		if len(n.words) == 0 || i > 0 && n.fold != out.fold || len(out.words)+len(n.words) > maxWords {
			return need{}
		}
		out = need{words: append(out.words, n.words...), fold: n.fold}
	}
	return out
}
