package relay

import (
	"regexp"
	"strings"
	"unicode"
)

// sequences are what a terminal obeys: control sequences, and strings that it is told.
var sequences = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?|\x1b[ -/]*[0-~]")

// clean takes out of a text what is not text: terminal sequences and control
// characters, other than the ends of lines and tabs.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexFunc(text, unprinted) < 0 {
		return text
	}
	text = strings.ReplaceAll(sequences.ReplaceAllString(text, ""), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case unprinted(r):
			return -1
		}
		return r
	}, text)
}

// blank reports whether a text has nothing that can be seen.
func blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unseen(r) }) < 0
}

func unprinted(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t'
}
