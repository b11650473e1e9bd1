package session

import (
	"strings"

	"github.com/hookway/hookway/internal/directive"
)

// Plain is what may be shown to an agent of a text that others wrote: without
// escape sequences, control characters but line breaks and tabs, marks that turn
// the direction of text, and letters that only machines read.
func Plain(text string) string { return sanitize(text) }

// Quoted is a text that others wrote as it may be injected into the session of a
// program: plain, without directives, and of no effect to a shell. Without a command
// it is for an agent whose own hooks take it.
func Quoted(command []string, text string) string {
	lines := strings.Split(sanitize(text), "\n")
	for i, line := range lines {
		lines[i] = directive.EscapeWithin(line)
	}
	text = strings.Join(lines, "\n")
	if len(command) == 0 {
		return text
	}
	return harmless(command, text)
}
