// Package visible makes text of others safe to show. [Line] and [Text] are for a person:
// what a terminal would obey, and what is invisible, is written as an escape. [Strip] and
// [Plain] are for programs and agents: the same is taken out.
package visible

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Line is a text as one line: line feeds and tabs are escapes, too.
func Line(text string) string { return escape(text, "") }

// Text is a text that keeps its lines and tabs.
func Text(text string) string { return escape(text, "\n\t") }

// Control reports whether a character is a control character or separates lines: what is
// to be one line of text has none.
func Control(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }

// stripped reports whether Strip takes a character out.
func stripped(r rune) bool { return Control(r) && r != '\n' && r != '\t' }

// sequences are those of a terminal: control sequences, strings with what ends them, and
// single escapes.
var sequences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\n\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?|\x1b[ -/]*[0-~]")
})

// Strip is a text without terminal sequences, and without control characters and
// separators other than line feeds and tabs. All ends of lines become line feeds, and
// what is not UTF-8 becomes U+FFFD.
func Strip(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexFunc(text, stripped) < 0 {
		return text
	}
	text = strings.ReplaceAll(sequences().ReplaceAllString(text, ""), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case stripped(r):
			return -1
		}
		return r
	}, text)
}

// Plain is Strip without invisible characters too: in them only machines would read
// words, or a directive where a person sees none.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, Strip(text))
}

// invisible reports whether a character has no shape of its own. What joins letters, in
// Arabic or in a family of emoji, and what makes an emoji of a sign is left.
func invisible(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case r == '\u034f', r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// Clip is a text of at most so many characters; one that had more ends in "…". What is
// not UTF-8 becomes U+FFFD.
func Clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
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
// that had more ends in "…", if there is room for that. What is not UTF-8 becomes U+FFFD.
func ClipBytes(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
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

// Join puts texts one behind the other, with sep between those that are not empty.
func Join(sep string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), sep)
}
