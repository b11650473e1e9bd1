package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/terminal"
)

// clean makes data of a message that comes from outside: its text has no control
// characters and no directives, its names are short and of one line.
func clean(m hook.Message) (hook.Message, error) {
	if len(m.Content) > messageMost {
		return m, fmt.Errorf("the message is longer than %d bytes", messageMost)
	}
	m.Content = sanitize(m.Content)
	if isBlank(m.Content) {
		return m, errors.New("the message is empty")
	}
	m.Content = undirected(m.Content)
	m.From, m.To, m.Channel, m.Thread = label(m.From), label(m.To), label(m.Channel), label(m.Thread)
	m.ID = label(m.ID)
	if m.From == "" {
		m.From = "somebody"
	}
	if m.ID == "" {
		m.ID = NewID()
	}
	m.Direction = "received"
	return m, nil
}

// undirected is a text that says the same and holds no directives.
func undirected(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = directive.Escape(line)
	}
	return strings.Join(lines, "\n")
}

// label is a name as it may stand in a line.
func label(name string) string {
	runes := []rune(strings.Join(strings.Fields(strings.Map(spaced, sanitize(name))), " "))
	return string(runes[:min(len(runes), nameMost)])
}

func spaced(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// sanitize takes out of a text what a terminal or a reader would act on: escape
// sequences, control characters but line breaks and tabs, marks that turn the
// direction of text, and the invisible letters that only machines read.
func sanitize(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\uFEFF', r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, terminal.Clean(text))
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// commanding are the characters with which a line is a command to one agent or
// another, and not text.
const commanding = "/!#@$&:?>\\"

// letterText is what is typed of a message: what the hooks made of it, if they
// did, with the sender in front where it would be a command otherwise.
func (s *session) letterText(m hook.Message, inject string) string {
	text := formatted(m)
	if inject != "" {
		text = inject
		if !strings.Contains(inject, m.Content) { // it is the hook's own
			return text
		}
		if start := strings.TrimSpace(text); start != "" && strings.ContainsAny(start[:1], commanding) {
			text = from(m) + ": " + text
		}
	}
	return harmless(s.command, text)
}

func from(m hook.Message) string {
	switch {
	case m.Channel != "":
		return fmt.Sprintf("Message from %s in %s", m.From, m.Channel)
	case m.To == everybody:
		return fmt.Sprintf("Message from %s to all", m.From)
	}
	return "Message from " + m.From
}

func formatted(m hook.Message) string { return from(m) + ": " + m.Content }

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
