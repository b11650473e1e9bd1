package delivery

import (
	"strings"
	"unicode"

	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/terminal"
)

// nameMost is how long a name is at most where it is shown, in runes.
const nameMost = 64

// pathMost is the same for the path of an attachment.
const pathMost = 1024

// Clean makes data of a message: its text has no control characters and no
// directives, its names are short and of one line.
func Clean(m relay.Message) relay.Message {
	m.Content = Undirected(Plain(m.Content))
	m.From, m.Machine, m.To, m.Thread = Label(m.From), Label(m.Machine), Label(m.To), Label(m.Thread)
	if m.From == "" {
		m.From = "somebody"
	}
	return m
}

// Undirected is a text that says the same and holds no directives, also where the
// program that shows it begins new lines.
func Undirected(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = directive.EscapeWithin(line)
	}
	return strings.Join(lines, "\n")
}

// Label is a name as it may stand in a line.
func Label(name string) string { return oneLine(name, nameMost) }

func oneLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(strings.Map(spaced, Plain(text))), " "))
	return Undirected(string(runes[:min(len(runes), most)]))
}

func spaced(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// Plain takes out of a text what a terminal or a reader would act on: escape
// sequences, control characters but line breaks and tabs, marks that turn the
// direction of text, and the invisible letters that only machines read.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\u2028' || r == '\u2029' || invisible(r) {
			return -1
		}
		return r
	}, terminal.Clean(text))
}

// invisible reports whether a letter has no shape of its own: an agent may see a
// directive where we see none, or words that no person sees. What joins letters,
// in Arabic or in a family of emoji, and what makes an emoji of a sign is left.
func invisible(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case r == '\u034f', r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}
