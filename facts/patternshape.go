package facts

import (
	"regexp/syntax"
	"unicode/utf8"
)

// patternShape is what a pattern says of what it matches: how long that is, and of which
// bytes, in small letters. Patterns that fail have read no more than bytes of the set.
type patternShape struct {
	least, most int
	set         [256]bool
}

// shapeOf finds the shape of a pattern.
func shapeOf(pattern string) *patternShape {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		re = &syntax.Regexp{Op: syntax.OpStar, Sub: []*syntax.Regexp{{Op: syntax.OpAnyChar}}}
	}
	s := &patternShape{}
	s.least, s.most = s.length(re)
	return s
}

// length gives the least and the greatest length of a part of the pattern, and adds its
// bytes to the set. What has no greatest length goes as far as a pattern is tried.
func (s *patternShape) length(re *syntax.Regexp) (least, most int) {
	const far = credentialWindow
	times := func(from, to int) (int, int) {
		if to < 0 {
			to = far
		}
		a, b := s.length(re.Sub[0])
		return a * from, min(b*to, far)
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s.add(r, r)
		}
		return len(string(re.Rune)), len(string(re.Rune))
	case syntax.OpCharClass:
		most = 1
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if s.add(re.Rune[i], re.Rune[i+1]); re.Rune[i+1] >= utf8.RuneSelf {
				most = utf8.UTFMax
			}
		}
		return 1, most
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.add(0, utf8.MaxRune)
		return 1, utf8.UTFMax
	case syntax.OpCapture:
		return s.length(re.Sub[0])
	case syntax.OpStar:
		return times(0, -1)
	case syntax.OpPlus:
		return times(1, -1)
	case syntax.OpQuest:
		return times(0, 1)
	case syntax.OpRepeat:
		return times(re.Min, re.Max)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			a, b := s.length(sub)
			least, most = least+a, min(most+b, far)
		}
	case syntax.OpAlternate:
		least = far
		for _, sub := range re.Sub {
			a, b := s.length(sub)
			least, most = min(least, a), max(most, b)
		}
	}
	return least, most // of an assertion nothing
}

// add adds the bytes of a range of characters.
func (s *patternShape) add(from, to rune) {
	for r := from; r <= min(to, utf8.RuneSelf-1); r++ {
		s.set[asciiLower(string(r))[0]] = true
	}
	for b := utf8.RuneSelf; to >= utf8.RuneSelf && b < len(s.set); b++ {
		s.set[b] = true
	}
}

// run is how many bytes of a text in small letters are of the set, as far as most.
func (s *patternShape) run(low string, most int) int {
	n := min(len(low), most)
	for i := range n {
		if !s.set[low[i]] {
			return i
		}
	}
	return n
}
