package faketui

import (
	"strings"
	"unicode"
)

// wide are the blocks of characters that take two columns.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// columns is how wide a text is on a screen.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.Is(wide, r):
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			n++
		}
	}
	return n
}

// wrap breaks a text into rows of at most width columns, at words, as agents
// do it themselves. The first row starts with one prefix, all others with
// another that is as wide. A word that is wider than a row is cut.
func wrap(text, first, rest string, width int) []string {
	room := max(width-columns(first), 1)
	var rows []string
	add := func(row string) {
		prefix := rest
		if len(rows) == 0 {
			prefix = first
		}
		rows = append(rows, strings.TrimRight(prefix+row, " "))
	}
	for _, line := range strings.Split(text, "\n") {
		row := ""
		for _, word := range words(line) {
			if row != "" && columns(row+strings.TrimRight(word, " ")) > room {
				add(row)
				row = ""
			}
			for columns(strings.TrimRight(word, " ")) > room {
				head := cut(word, room)
				add(head)
				word = word[len(head):]
			}
			row += word
		}
		add(row)
	}
	return rows
}

// words splits a text after each run of blanks; line breaks count as blanks.
func words(text string) []string {
	var all []string
	start := 0
	for i, r := range text {
		if i > start && r != ' ' && r != '\n' && strings.ContainsAny(text[i-1:i], " \n") {
			all = append(all, text[start:i])
			start = i
		}
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// cut is the longest start of a text that fits into width columns, at least one
// character.
func cut(text string, width int) string {
	used := 0
	for i, r := range text {
		if used += columns(string(r)); used > width && i > 0 {
			return text[:i]
		}
	}
	return text
}
