package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// visible writes text for people: control characters are shown, not obeyed. Names
// of files and hooks come from repositories that somebody cloned.
type visible struct{ to io.Writer }

// Write writes everything, or reports an error.
func (v visible) Write(text []byte) (int, error) {
	_, err := io.WriteString(v.to, show(string(text)))
	return len(text), err
}

func show(text string) string {
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	}
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&out, "\\x%02x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
