package directive

import (
	"strings"
	"unicode/utf8"
)

// prefix is what stands before the text of a line.
type prefix struct {
	end     int  // offset of the text
	borders int  // how many borders and quote marks
	indent  int  // columns of blanks after the last border, before any mark
	column  int  // columns from the last border to the text
	list    bool // a list mark
	glyph   bool // a prompt glyph
}

// starts are the bytes that a blank, a border, a glyph or a list mark starts with.
var starts = func() (all [256]bool) {
	for _, c := range []byte(" \t\r\xc2\xe2>|-*+0123456789") {
		all[c] = true
	}
	return all
}()

// scanPrefix reads the prefix of a line.
func scanPrefix(s string) prefix {
	var p prefix
	for p.end < len(s) && starts[s[p.end]] {
		rest := s[p.end:]
		if w := blank(rest); w > 0 {
			width := columns(rest[:w], p.column)
			p.column += width
			if !p.list && !p.glyph {
				p.indent += width
			}
			p.end += w
			continue
		}
		if w := border(rest); w > 0 {
			p.borders++
			p.end += w
			p.indent, p.column = 0, 0
			p.list, p.glyph = false, false
			continue
		}
		if w := listMark(rest); w > 0 {
			p.list = true
			p.end += w
			p.column += utf8.RuneCountInString(rest[:w])
			continue
		}
		w := glyph(rest)
		if w == 0 {
			break
		}
		p.glyph = true
		p.end += w
		p.column++
	}
	return p
}

// blank returns the length of the blank that s starts with, or 0.
func blank(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case ' ', '\t', '\r':
		return 1
	case 0xc2:
		if strings.HasPrefix(s, "\u00a0") {
			return 2
		}
	}
	return 0
}

// columns returns how wide a blank is at the given column.
func columns(b string, at int) int {
	switch b {
	case "\t":
		return 8 - at%8
	case "\r":
		return 0
	}
	return 1
}

// border returns the length of the border or quote mark that s starts with.
func border(s string) int {
	switch s[0] {
	case '>', '|':
		return 1
	case 0xe2:
		if in(s, "│┃║▎▌▏") {
			return 3
		}
	}
	return 0
}

// glyph returns the length of the prompt glyph that s starts with.
func glyph(s string) int {
	switch s[0] {
	case 0xe2:
		if in(s, "⏺●○❯›⎿└╰├✦✻✶◆◇■▪▶►⏵→") {
			return 3
		}
	case 0xc2:
		if strings.HasPrefix(s, "»") {
			return 2
		}
	}
	return 0
}

// in reports whether s starts with one of the three-byte runes of set.
func in(s, set string) bool {
	if len(s) < 3 {
		return false
	}
	for i := 0; i < len(set); i += 3 {
		if s[:3] == set[i:i+3] {
			return true
		}
	}
	return false
}

// listMark returns the length of the list mark that s starts with. A mark
// without a blank after it is a part of the text.
func listMark(s string) int {
	n := 0
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
		n = 1
	case strings.HasPrefix(s, "•"):
		n = len("•")
	case '0' <= c && c <= '9':
		for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n == 0 || blank(s[n:]) == 0 {
		return 0
	}
	return n
}

// trimRight removes blanks and one closing border from the end of a line.
func trimRight(s string, bordered bool) string {
	s = trimBlanks(s)
	for _, b := range []string{"│", "┃", "║"} {
		if t, ok := strings.CutSuffix(s, b); ok {
			return trimBlanks(t)
		}
	}
	if bordered {
		for _, b := range []string{"|", "▎", "▌", "▏"} {
			if t, ok := strings.CutSuffix(s, b); ok {
				return trimBlanks(t)
			}
		}
	}
	return s
}

func trimBlanks(s string) string {
	return strings.TrimRight(s, " \t\r\u00a0")
}

// cutBorders removes up to n borders, with the blanks before them, and
// returns how many it found.
func cutBorders(s string, n int) (string, int) {
	for found := range n {
		t := s
		for w := blank(t); w > 0; w = blank(t) {
			t = t[w:]
		}
		if t == "" {
			return s, found
		}
		w := border(t)
		if w == 0 {
			return s, found
		}
		s = t[w:]
	}
	return s, n
}

// indentation returns the columns of blanks that s starts with.
func indentation(s string) int {
	col := 0
	for w := blank(s); w > 0; w = blank(s) {
		col += columns(s[:w], col)
		s = s[w:]
	}
	return col
}

// dedent removes blanks from the start of s, at most n columns.
func dedent(s string, n int) string {
	for col := 0; ; {
		w := blank(s)
		if w == 0 {
			return s
		}
		if col += columns(s[:w], col); col > n {
			return s
		}
		s = s[w:]
	}
}
