package hook

import (
	"strings"
	"unicode/utf8"
)

// Whether a pattern and a path of which a part is open have a path in common: the
// path has "…" where something is not known yet, or is a pattern of a shell, or stands
// for all that is below it. Both are read as sequences of signs, some of which stand
// for a run of others, and are walked together.

// sign is a character of a pattern, or what stands for several.
type sign struct {
	c    rune // a character; 0: any one
	run  bool // any number of characters
	deep bool // also slashes
	skip bool // a slash that, with the run after it, may be missing: "**" and what is below
}

// is reports whether one character may be another.
func (s sign) is(o sign) bool {
	switch {
	case s.run:
		return s.deep || o.c != '/'
	case o.run:
		return o.deep || s.c != '/'
	case s.c == 0:
		return o.c != '/'
	case o.c == 0:
		return s.c != '/'
	}
	return s.c == o.c
}

// maxMeet bounds the pairs of signs that are compared; beyond it, they may meet.
const maxMeet = 1 << 18

// meet reports whether a pattern and an open path have a path in common. glob: the path
// is a pattern of a shell; below: what lies below it counts.
func meet(pattern, path []string, glob, below bool) bool {
	a, b := patternSigns(pattern), pathSigns(path, glob)
	if below {
		b = append(b, sign{c: '/', skip: true}, sign{run: true, deep: true})
	}
	return signsMeet(a, b)
}

// signsMeet reports whether two patterns have a text in common: it walks both at once, and
// notes which pairs of places it has seen, so that the work is bounded by their product. Where
// even that is too much, the answer is yes: a guard is asked once too often.
func signsMeet(a, b []sign) bool {
	width := len(b) + 1
	if (len(a)+1)*width > maxMeet {
		return true
	}
	seen := make([]bool, (len(a)+1)*width)
	todo := []int{0}
	visit := func(i, j int) {
		if at := i*width + j; !seen[at] {
			seen[at] = true
			todo = append(todo, at)
		}
	}
	for len(todo) > 0 {
		i, j := todo[len(todo)-1]/width, todo[len(todo)-1]%width
		todo = todo[:len(todo)-1]
		if i == len(a) && j == len(b) {
			return true
		}
		if i < len(a) {
			if a[i].run {
				visit(i+1, j)
			} else if a[i].skip {
				visit(i+2, j)
			}
		}
		if j < len(b) {
			if b[j].run {
				visit(i, j+1)
			} else if b[j].skip {
				visit(i, j+2)
			}
		}
		if i == len(a) || j == len(b) || !a[i].is(b[j]) {
			continue
		}
		switch {
		case a[i].run && b[j].run: // one of them ends first
		case a[i].run:
			visit(i, j+1)
		case b[j].run:
			visit(i+1, j)
		default:
			visit(i+1, j+1)
		}
	}
	return false
}

// patternSigns are the signs of a glob's segments.
func patternSigns(segments []string) (out []sign) {
	for _, s := range segments {
		if s == "**" {
			out = append(out, sign{c: '/', skip: true}, sign{run: true, deep: true})
			continue
		}
		out = append(append(out, sign{c: '/'}), globSigns(s)...)
	}
	return out
}

// globSigns are the signs of a pattern in which '*' takes anything. A set counts as any
// character: what may meet is asked here, not what does.
func globSigns(s string) (out []sign) {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch c {
		case '*':
			out = append(out, sign{run: true})
		case '?':
			out = append(out, sign{})
		case '[':
			if end := strings.IndexByte(s[i:], ']'); end >= 0 {
				i += end + 1
			}
			out = append(out, sign{})
		case '\\':
			c, n = utf8.DecodeRuneInString(s[i:])
			i += n
			out = append(out, sign{c: c})
		default:
			out = append(out, sign{c: c})
		}
	}
	return out
}

// pathSigns are the signs of a path in a fact.
func pathSigns(parts []string, glob bool) (out []sign) {
	for i, part := range parts {
		if glob && part == "**" {
			out = append(out, sign{c: '/', skip: true}, sign{run: true, deep: true})
			continue
		}
		if i > 0 || !strings.HasPrefix(part, unresolved) { // what it begins with may be a folder
			out = append(out, sign{c: '/'})
		}
		out = append(out, partSigns(part, glob)...)
	}
	return out
}

// partSigns are the signs of one segment. Of a pattern of the shell only what stands before
// and behind its signs counts: shells differ in what is between.
func partSigns(part string, glob bool) (out []sign) {
	head, tail, cut := part, "", false
	if first := strings.IndexAny(part, "*?[("); glob && first >= 0 {
		last := strings.LastIndexAny(part, "*?])")
		head, tail, cut = strings.TrimRight(part[:first], "@!+"), part[max(first, last)+1:], true
	}
	out = nameSigns(head)
	if cut {
		out = append(out, sign{run: true, deep: strings.Contains(part, "**") || strings.Contains(part, unresolved)})
	}
	return append(out, nameSigns(tail)...)
}

// nameSigns are the signs of a name in which something may not be known.
func nameSigns(name string) (out []sign) {
	for i, known := range strings.Split(name, unresolved) {
		if i > 0 {
			out = append(out, sign{run: true, deep: true})
		}
		for _, c := range known {
			out = append(out, sign{c: c})
		}
	}
	return out
}

// may reports whether a name of which a part is not known could match.
func (g nameGlob) may(name string) bool {
	signs := nameSigns(flat(name))
	for _, pattern := range g {
		if signsMeet(globSigns(pattern), signs) {
			return true
		}
	}
	return false
}
