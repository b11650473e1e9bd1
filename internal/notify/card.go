package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of a card's text. Phones get 4 KiB in all; what is left out is said, and
// hookway approvals show has it.
const (
	mostInput  = 1600
	mostReason = 600
	mostDoes   = 500
	mostName   = 80

	mostLineOf  = 160  // of one of several calls
	mostSeveral = 2400 // of all of them
)

// Title is the card in one line.
func (c *Card) Title() string {
	if c.Test {
		return "hookway: a test"
	}
	who := c.Agent
	if who == "" {
		who = "an agent"
	}
	if n := len(c.Also) + 1; n > 1 && c.Asks() {
		return fmt.Sprintf("%s asks for %d calls", name(who), n)
	}
	what := fmt.Sprintf("%s: %s asks for %s", c.Code, name(who), name(c.Tool))
	if !c.Asks() {
		what = fmt.Sprintf("%s: %s", c.Code, outcome(c.State))
	}
	return what
}

// Text is what stands on the card: the call first, because it decides.
func (c *Card) Text() string {
	if c.Test {
		return "hookway doctor sent this. Cards of asks come like it, with buttons; there is nothing to answer here."
	}
	if !c.Asks() {
		return c.became()
	}
	if len(c.Also) > 0 {
		text, _ := c.several()
		return text
	}
	var b strings.Builder
	b.WriteString(clip(c.Input, mostInput))
	section(&b, "why", clip(c.Reason, mostReason))
	section(&b, "it would", clip(c.Does, mostDoes))
	section(&b, "in", name(c.Workspace))
	if by := name(c.Rule + " " + c.Hook); by != "" {
		section(&b, "asked by", by)
	}
	if c.Waiters > 1 {
		section(&b, "waiting", visible.Count(c.Waiters, "equal call"))
	}
	section(&b, "until", c.Until.Local().Format("15:04:05 MST"))
	return b.String()
}

// Whole reports whether all that is answered is on the card.
func (c *Card) Whole() bool {
	_, whole := c.several()
	return whole
}

// several is a card about several requests: a line each.
func (c *Card) several() (text string, whole bool) {
	var b strings.Builder
	whole = true
	for _, r := range append(slices.Clip(c.Also), c.Request) {
		first, more, _ := strings.Cut(strings.TrimSpace(r.Input), "\n")
		line := visible.Line(r.Code + " " + r.Tool + ": " + first)
		if short := visible.Clip(line, mostLineOf); short != line || more != "" {
			line, whole = short+" …", false
		}
		if b.Len()+len(line) > mostSeveral {
			whole = false
			b.WriteString("… and more\n")
			break
		}
		b.WriteString(line + "\n")
	}
	section(&b, "in", name(c.Workspace))
	if !whole {
		b.WriteString("Not all of it is shown, so they cannot be allowed together here: hookway approvals watch\n")
	}
	return b.String(), whole
}

// became is what has become of a request.
func (c *Card) became() string {
	var b strings.Builder
	first, _, more := strings.Cut(strings.TrimSpace(c.Input), "\n")
	if first = visible.Clip(first, 200); more {
		first += " …"
	}
	b.WriteString(name(c.Tool) + ": " + visible.Text(first) + "\n")
	switch {
	case !c.Answered.IsZero():
		section(&b, "by", fmt.Sprintf("%s, %s, after %v", name(c.By), name(c.From), time.Duration(c.After*float64(time.Second)).Round(time.Second)))
		section(&b, "note", clip(c.Note, mostReason))
	case c.State == approve.TimedOut || c.State == approve.Expired:
		section(&b, "nobody answered", fmt.Sprintf("in %v; let the agent try again", c.Until.Sub(c.First).Round(time.Second)))
	}
	return b.String()
}

// outcome is a state for people.
func outcome(s approve.State) string {
	switch s {
	case approve.Allowed:
		return "allowed"
	case approve.Used:
		return "allowed, and the call has passed"
	case approve.Denied:
		return "denied"
	case approve.TimedOut, approve.Expired:
		return "timed out"
	}
	return string(s)
}

func section(b *strings.Builder, what, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(b, "%s: %s\n", what, text)
	}
}

func name(text string) string {
	return visible.Line(visible.Clip(strings.TrimSpace(text), mostName))
}

// clip is a text without its middle, if it is long, and says so: what matters may stand
// behind much that does not.
func clip(text string, most int) string {
	text = visible.Text(strings.TrimRight(text, "\n")) + "\n"
	if len(text) <= most {
		return text
	}
	head, tail := most*3/4, len(text)-most/4
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n(%d bytes in between are not shown here)\n%s", text[:head], tail-head, text[tail:])
}
