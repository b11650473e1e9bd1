package delivery

import (
	"strings"

	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

// nameMost is how long a name is at most where it is shown, in runes.
const nameMost = 64

// pathMost is the same for the path of an attachment.
const pathMost = 1024

// Clean makes data of a message: its text has no control characters and no
// directives, its names are short and of one line.
func Clean(m relay.Message) relay.Message {
	m.Content = Undirected(visible.Plain(m.Content))
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

// Quoted is a text that others wrote as an agent may be given it: plain, and without
// directives.
func Quoted(text string) string { return Undirected(visible.Plain(text)) }

// Label is a name as it may stand in a line.
func Label(name string) string { return oneLine(name, nameMost) }

func oneLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(visible.Plain(text)), " "))
	return Undirected(string(runes[:min(len(runes), most)]))
}
