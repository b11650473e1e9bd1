package terminal

import (
	"strings"
	"unicode/utf8"
)

// Clean is a text without anything that a terminal acts on: escape sequences
// are taken out as a whole, then all control characters but line breaks, which
// become \n, and tabs. Invalid UTF-8 becomes U+FFFD.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if strings.IndexFunc(text, control) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		if n := sequenceLen(text); n > 0 {
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		if !control(r) {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// control reports whether a character is a control character that is not typed.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}

// sequenceLen is the length of the CSI sequence that text begins with, or 0. Of
// others the introducer goes and the rest is harmless text.
func sequenceLen(text string) int {
	rest, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "\u009b"); !ok {
			return 0
		}
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case c >= 0x40 && c <= 0x7e:
			return len(text) - len(rest) + i + 1
		case c < 0x20 || c > 0x7e:
			return 0
		}
	}
	return 0
}

// oneLine is a clean text as keys that end no line.
func oneLine(text, newline string) string {
	if newline == "" {
		newline = " "
	}
	return strings.NewReplacer("\n", newline, "\t", " ").Replace(text)
}
