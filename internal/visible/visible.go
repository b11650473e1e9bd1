// Package visible makes text of others fit for a terminal: what a terminal would
// obey, and what nobody would see, is written as an escape.
package visible

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a text as one line: line feeds and tabs are escapes, too.
func Line(text string) string { return escape(text, "") }

// Text is a text that keeps its lines and tabs.
func Text(text string) string { return escape(text, "\n\t") }

// Clip is a text of at most so many characters; one that had more ends in "…".
func Clip(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// ClipBytes is a text of at most so many bytes, which is cut between two characters; one
// that had more ends in "…", if there is room for that.
func ClipBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := max(most-len("…"), 0)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// Writer writes what it is given as Text does. A character that is cut in two by two
// writes is shown as bytes.
type Writer struct{ To io.Writer }

// Write writes everything, or reports an error.
func (w Writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.To, Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

func hidden(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

func escape(text, keep string) string {
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == utf8.RuneError || !hidden(r) || strings.ContainsRune(keep, r):
			b.WriteString(text[:size])
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}
