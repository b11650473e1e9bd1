package session

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/hookway/hookway/internal/directive"
)

const (
	writtenWait = time.Second           // for the agent's hooks to tell what it has said
	writtenLook = 50 * time.Millisecond // between two looks for it
)

// meant finds out what the agent wrote where its screen shows a directive. Agents
// draw Markdown: on the screen a code fence is only indented, the backslash of an
// escaped directive is gone, and so is the >>> that ends a block. Where the agent's
// own hooks tell what it said, that decides: whether it is a directive, and what
// its body is. Text that they do not tell, or not in time, is taken as it is shown.
func (s *session) meant(ctx context.Context, shown directive.Directive) (d directive.Directive, ok bool) {
	if s.hooks == nil {
		return shown, true
	}
	wait := time.NewTimer(writtenWait)
	defer wait.Stop()
	look := time.NewTicker(writtenLook)
	defer look.Stop()
	for {
		if found, text := writings(s.hooks.Written(), shown); len(found) > 0 {
			w := found[min(s.shown.count(text, shown), len(found)-1)]
			return w.Directive, w.real
		}
		select {
		case <-look.C:
		case <-wait.C:
			return shown, true
		case <-s.program.Done():
			return shown, true
		case <-ctx.Done():
			return shown, true
		}
	}
}

// written is what the agent wrote where its screen shows a directive.
type written struct {
	directive.Directive      // as it was written
	real                bool // it is a directive there, too
}

// writings finds a shown directive in what the agent wrote, the newest text that
// has it: each line that reads like it, in order, and the text.
func writings(texts []string, shown directive.Directive) (found []written, text string) {
	head := "@" + shown.Namespace + ":" + shown.Target
	first, _, _ := strings.Cut(shown.Body, "\n")
	want := signs(head + first)
	for i := len(texts) - 1; i >= 0; i-- {
		if !strings.Contains(texts[i], head) {
			continue
		}
		real := map[int]directive.Directive{}
		for _, d := range directive.Parse(texts[i]) {
			if d.Namespace == shown.Namespace && d.Target == shown.Target && begins(signs(d.Body), signs(first)) {
				real[d.Line] = d
			}
		}
		n := 0
		for line := range strings.Lines(texts[i]) {
			n++
			if d, ok := real[n]; ok {
				found = append(found, written{d, true})
			} else if strings.Contains(line, head) && begins(signs(line[strings.Index(line, head):]), want) {
				found = append(found, written{Directive: shown})
			}
		}
		if len(found) > 0 {
			return found, texts[i]
		}
	}
	return nil, ""
}

// shownTimes counts how often a directive of a text was shown: the screen has them
// in the order of the text, of which one may be in a code fence and one not.
type shownTimes struct {
	text  string
	times map[string]int
}

func (c *shownTimes) count(text string, d directive.Directive) int {
	if c.text != text {
		c.text, c.times = text, map[string]int{}
	}
	first, _, _ := strings.Cut(d.Body, "\n")
	key := d.Namespace + ":" + d.Target + " " + signs(first)
	c.times[key]++
	return c.times[key] - 1
}

// begins reports whether one of the texts is the beginning of the other: the screen
// may show less, and more.
func begins(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// signs is what a screen shows of a text whatever it makes of Markdown: letters,
// digits, and the signs of a directive's head.
func signs(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@' || r == ':' {
			return r
		}
		return -1
	}, s)
}

// openBlock reports whether the screen shows the beginning of a block whose end the
// agent has written, though the screen does not show it.
func (l *listener) openBlock() bool {
	held, ok := l.parser.Block()
	if !ok || !l.paints || l.hooks == nil {
		return false
	}
	found, _ := writings(l.hooks.Written(), held)
	return len(found) > 0 && found[0].real && !found[0].Open
}
