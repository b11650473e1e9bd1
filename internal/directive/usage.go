package directive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// usage reports whether a line with this head tells how a directive is
// written, and is none itself: see the package comment.
func usage(line string, pre prefix, h head) bool {
	if strings.EqualFold(h.namespace, "namespace") || pre.borders > 0 && row(line[pre.end:]) {
		return true
	}
	rest := trimRight(line[pre.end+h.rest:], pre.borders > 0)
	text := trimLeft(rest)
	after, any := cutPlaceholders(text)
	if any {
		return after == "" || note(after, "#", "//", "—", "–", "--", "-", "→", "->", "=>", ":")
	}
	gap := utf8.RuneCountInString(rest[:len(rest)-len(text)])
	aligned := gap >= 2 || strings.HasPrefix(rest, "\t")
	return aligned && note(text, "#", "//") || note(text, "—", "–", "--")
}

// examples says whether directives are examples: those in the block of lines
// below one that announces them.
type examples uint8

const (
	notExamples examples = iota
	announced            // the block is still to come
	listed               // an empty line ends it
)

// announcesExamples reports whether the text of a line is Example: or the like,
// and nothing else.
func announcesExamples(text string) bool {
	const longest = len("**For example:**")
	if len(text) > 2*longest || strings.IndexByte("eusfEUSF*_#", text[0]) < 0 {
		return false
	}
	text = strings.Trim(text, "*_# \t\r\u00a0│┃║|")
	text = strings.TrimRight(text, ":")
	switch len(text) {
	case len("e.g."), len("usage"), len("syntax"), len("example"), len("examples"), len("for example"):
		for _, word := range []string{"e.g.", "usage", "syntax", "example", "examples", "for example"} {
			if strings.EqualFold(text, word) {
				return true
			}
		}
	}
	return false
}

// row reports whether the text after a border is a row of a table.
func row(text string) bool {
	text = trimBlanks(text)
	for _, b := range []string{"│", "┃", "║", "|"} {
		if cells, ok := strings.CutSuffix(text, b); ok {
			return strings.Contains(cells, " "+b+" ")
		}
	}
	return false
}

// note reports whether s starts with one of the marks, a blank and a text.
func note(s string, marks ...string) bool {
	for _, mark := range marks {
		if text, ok := strings.CutPrefix(s, mark); ok && blank(text) > 0 && trimLeft(text) != "" {
			return true
		}
	}
	return false
}

// placeholders reports whether a text is placeholders and nothing else.
func placeholders(text string) bool {
	rest, any := cutPlaceholders(text)
	return any && rest == ""
}

// cutPlaceholders removes the placeholders that s starts with, and the blanks
// around them.
func cutPlaceholders(s string) (rest string, any bool) {
	for {
		s = trimLeft(s)
		n := placeholder(s)
		if n == 0 {
			return s, any
		}
		s, any = s[n:], true
	}
}

// placeholder returns the length of the placeholder that s starts with, or 0.
// Quotes, brackets and punctuation around it belong to it.
func placeholder(s string) int {
	inner := strings.TrimLeft(s, `"'[(`)
	n := max(bracketed(inner), ellipsis(inner))
	if n == 0 {
		return 0
	}
	rest := strings.TrimLeft(inner[n:], `"'])….,;`)
	if rest != "" && strings.IndexByte("\n<:", rest[0]) < 0 && blank(rest) == 0 {
		return 0
	}
	return len(s) - len(rest)
}

// yourMessage reports whether a text is nothing but the likes of "your message",
// "your message here" and "text goes here".
func yourMessage(text string) bool {
	if len(text) > 30 {
		return false
	}
	words := strings.Fields(strings.ToLower(strings.Trim(text, `"'[]()….`)))
	n := len(words)
	if n > 1 && words[n-1] == "here" {
		n--
		if n > 1 && words[n-1] == "goes" {
			n--
		}
	}
	switch {
	case n == 2 && words[0] == "your":
	case n == 1 && len(words) > 1:
	default:
		return false
	}
	return slices.Contains([]string{"message", "text", "content", "body", "question", "query", "answer", "reply", "note"}, words[n-1])
}

// maxPlaceholder is the greatest length in bytes of what stands in brackets.
const maxPlaceholder = 80

// bracketed returns the length of a placeholder such as <your message>.
func bracketed(s string) int {
	if s == "" || s[0] != '<' {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), maxPlaceholder+2)], '>')
	if end < 2 || s[end-1] == '/' || s[end-1] == ' ' {
		return 0
	}
	for i, r := range s[1:end] {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-'’.,…|/", r)) {
			return 0
		}
	}
	return end + 1
}

// ellipsis returns the length of an ellipsis: one or more …, or three or more
// full stops.
func ellipsis(s string) int {
	if n := len(s) - len(strings.TrimLeft(s, "…")); n > 0 {
		return n
	}
	if n := len(s) - len(strings.TrimLeft(s, ".")); n >= 3 {
		return n
	}
	return 0
}

// trimLeft removes blanks and line breaks from the start of a text.
func trimLeft(s string) string { return strings.TrimLeft(s, " \t\r\n\u00a0") }
