package session

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/relay/letter"
)

func sanitize(text string) string { return letter.Plain(text) }

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// harmless is a text from outside as it may be typed to a program: agents that
// read files for an @ get it escaped, and a shell gets the text as an argument of
// a command that does nothing.
func harmless(command []string, text string) string {
	switch name := profileFor(command).name; {
	case name == "gemini" || name == "qwen":
		return escapeAt(text)
	case name == "shell" || slices.Contains(elsewhere, programName(command[0])):
		if strings.HasPrefix(programName(command[0]), "fish") { // in its quotes a backslash counts
			text = strings.ReplaceAll(text, `\`, `\\`)
		}
		text = strings.Join(strings.Fields(text), " ")
		return ": '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// elsewhere are programs behind which a shell is likely.
var elsewhere = []string{"ssh", "mosh", "telnet", "sudo", "doas", "docker", "podman", "kubectl", "script", "nix-shell"}

// escapeAt puts a backslash before every @ that has none.
func escapeAt(text string) string {
	var out strings.Builder
	before := rune(0)
	for _, r := range text {
		if r == '@' && before != '\\' {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}
