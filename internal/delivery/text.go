package delivery

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

// RepeatMark is added to the text of a message that the agent may have already.
const RepeatMark = " (may be a repeat)"

// MarkRepeat is the text of a message that the agent may have already.
func MarkRepeat(text string) string {
	if strings.Contains(text, "\n") { // the last line may be a path
		return text + "\n" + strings.TrimSpace(RepeatMark)
	}
	return text + RepeatMark
}

const (
	contentMost = 4 << 10  // bytes of a message that an agent is shown; it may ask for the rest
	injectMost  = 16 << 10 // bytes of what hooks make of it
	attachMost  = 20       // attachments that are named
)

// commanding are the characters with which a line is a command to one agent or
// another, and not text.
const commanding = "/!#@$&:?>\\"

// Text is what an agent is shown of a clean message on this machine: the sender in
// front, or what hooks have injected in its place.
func Text(m relay.Message, machine, inject string) string {
	if inject == "" {
		return head(m, machine) + short(m, m.Content, contentMost) + attached(m)
	}
	passedOn := strings.Contains(inject, m.Content)
	inject = short(m, inject, injectMost)
	if start := strings.TrimSpace(inject); passedOn && start != "" && strings.ContainsAny(start[:1], commanding) {
		return head(m, machine) + inject
	}
	return inject // the hook's own words
}

// head says who has sent a message, to whom, and by what to answer to it, up to the
// colon: with that a thread called @relay would be a directive.
func head(m relay.Message, machine string) string {
	var b strings.Builder
	b.WriteString("Message from " + m.From)
	if m.Machine != "" && m.Machine != machine {
		b.WriteString("@" + m.Machine)
	}
	switch {
	case strings.HasPrefix(m.To, "#"):
		b.WriteString(" in " + m.To)
	case m.To == "*":
		b.WriteString(" to all")
	}
	fmt.Fprintf(&b, " [%s]", relay.Short(m.ID))
	if m.Thread != "" && m.Thread != m.ID {
		b.WriteString(" in thread " + ThreadName(m.Thread))
	}
	if m.Priority == relay.PriorityUrgent || m.Priority == relay.PriorityHigh {
		fmt.Fprintf(&b, " (%s)", m.Priority)
	}
	b.WriteString(": ")
	return directive.EscapeWithin(b.String())
}

// ThreadName is the name of a thread, or the short form of the message that it
// began with.
func ThreadName(thread string) string {
	if len(thread) != idLength || strings.ContainsFunc(thread, func(r rune) bool { return !alphanumeric(r) }) {
		return thread
	}
	return relay.Short(thread)
}

const idLength = 26 // of a message's id

func alphanumeric(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }

// short is a text, or its beginning and how to read the rest.
func short(m relay.Message, text string, most int) string {
	if len(text) <= most {
		return text
	}
	return upTo(text, most) + moreOf(m.ID)
}

// upTo is the begin of a text that is longer, in whole letters.
func upTo(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// moreOf says how to read the rest of a message.
func moreOf(id string) string { return "\n… more: hookway inbox read " + relay.Short(id) }

// attached names the files that a message refers to, a line each.
func attached(m relay.Message) string {
	var b strings.Builder
	for i, a := range m.Attachments {
		if i == attachMost {
			fmt.Fprintf(&b, "\n… and %d more files", len(m.Attachments)-i)
			break
		}
		fmt.Fprintf(&b, "\nattached: %s (%s) %s", Label(a.Name), size(a.Size), oneLine(a.Path, pathMost))
	}
	return b.String()
}

// Paths are those of the files that a message refers to, each on one line.
func Paths(m relay.Message) []string {
	var all []string
	for _, a := range m.Attachments {
		all = append(all, oneLine(a.Path, pathMost))
	}
	return all
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

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
