package session

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/hookway/hookway/internal/terminal"
)

const (
	watchMost   = 3 * time.Second        // see typist.watches
	arrivesIn   = 50 * time.Millisecond  // what is typed is with the terminal by then
	enterAfter  = 700 * time.Millisecond // when a text still in the input is submitted again
	enterMost   = 2                      // how often
	proofLength = 24                     // letters of a text by which it is known again
)

// proof is how a text that was typed is known again on the screen.
type proof struct {
	head, tail   string // its first and its last letters
	heads, tails int    // how often they were on the screen before
	pasted       bool   // and whether another pasted text was
	lines        bool   // the program read lines

	at time.Time // just before it was typed
}

func (p *profile) proof(m moment, body string) proof {
	shown := lettersOf(m.screen)
	first, _, _ := strings.Cut(body, "\n")
	head, tail := []rune(letters(first)), []rune(letters(body[strings.LastIndexByte(body, '\n')+1:]))
	if len(head) == 0 || len(tail) == 0 {
		head, tail = []rune(letters(body)), []rune(letters(body))
	}
	pr := proof{
		head: string(head[:min(proofLength, len(head))]), tail: string(tail[max(len(tail)-proofLength, 0):]),
		lines: m.input.Lines, at: m.now,
	}
	pr.heads, pr.tails = strings.Count(shown, pr.head), strings.Count(shown, pr.tail)
	pr.pasted = p.pasted != nil && p.pasted.MatchString(p.find(m.screen).text)
	return pr
}

// seen reports whether the text came up on the screen.
func (pr proof) seen(p *profile, s terminal.Screen) bool {
	shown := lettersOf(s)
	if strings.Count(shown, pr.head) > pr.heads || strings.Count(shown, pr.tail) > pr.tails {
		return true
	}
	return !pr.pasted && p.pasted != nil && p.pasted.MatchString(p.find(s).text)
}

// begins reports whether a row is how the text begins.
func (pr proof) begins(row string) bool {
	row = letters(row)
	return row != "" && (strings.HasPrefix(row, pr.head) || strings.HasPrefix(pr.head, row))
}

// letters is a text without what differs from screen to screen: blanks, ends of
// rows, frames.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || boxRune(r) {
			return -1
		}
		return r
	}, text)
}

func lettersOf(s terminal.Screen) string {
	var b strings.Builder
	for _, row := range s.Rows {
		b.WriteString(letters(row.Text))
	}
	return b.String()
}

// watch follows an injection that was written to its last state. It types
// nothing but, where the profile says so, the submit key, if the text stands in
// the input and the user has not touched it.
func (t *typist) watch(ctx context.Context, i *injection, p *profile, pr proof) {
	defer i.end()
	var sawUnread bool
	entered, next := 0, pr.at.Add(enterAfter)
	for pause := time.Millisecond; ; pause = min(2*pause, lookEvery) {
		m := t.look()
		sawUnread = sawUnread || m.input.Unread > 0
		since := m.now.Sub(pr.at)
		state, _ := i.state()
		if state == stateWritten && pr.seen(p, m.screen) {
			state = stateEchoed
			i.step(state)
		}
		gone := m.input.Gone || ended(t.session.program) // then its input says nothing
		taken := !gone && m.input.Unread == 0 && (sawUnread || since >= arrivesIn || state == stateEchoed)
		if taken && p.submitted(m, pr, state == stateEchoed) {
			i.step(stateSubmitted)
			return
		}
		if since >= t.watches {
			if taken && pr.lines && m.input.Lines {
				i.step(stateSubmitted)
			}
			return
		}
		if p.again && state == stateEchoed && entered < enterMost && m.now.After(next) {
			entered++
			next = m.now.Add(enterAfter)
			t.enter(ctx, p, pr)
		}
		if !t.pause(ctx, pause) {
			echoed := state == stateEchoed || pr.seen(p, t.session.program.Screen())
			if byTerminal := pr.lines && i.claims != nil; echoed && !byTerminal && ended(t.session.program) {
				i.step(stateSubmitted) // it was the last thing the program did
			}
			return
		}
	}
}

func ended(p *terminal.Program) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// submitted reports whether a text that the program has read has left
// its input.
func (p *profile) submitted(m moment, pr proof, echoed bool) bool {
	switch {
	case pr.lines && m.input.Lines:
		return echoed || !m.input.Echo
	case !pr.lines && m.input.Lines: // it has left its input
		return true
	case !m.screen.Changed.After(pr.at):
		return false
	}
	f := p.find(m.screen)
	switch {
	case f.known && f.empty:
		return echoed || p.working(m, f)
	case f.known: // the user may have gone on typing by now
		return echoed && p.box && !p.holds(m.screen, f, pr)
	case p.box: // the agent asks something in place of its input
		return echoed && p.asking(m, f) != ""
	}
	return echoed && !strings.Contains(letters(m.screen.At(m.screen.Row).Text), pr.tail)
}

// holds reports whether the text, and not another one, stands in the input, which
// is not empty.
func (p *profile) holds(s terminal.Screen, f field, pr proof) bool {
	if f.text == "" || pr.begins(f.text) || p.pasted != nil && p.pasted.MatchString(f.text) {
		return true
	}
	s.Rows = s.Rows[min(max(f.row, 0), len(s.Rows)):]
	shown := lettersOf(s)
	return strings.Contains(shown, pr.head) || strings.Contains(shown, pr.tail)
}

// enter presses the submit key once more.
func (t *typist) enter(ctx context.Context, p *profile, pr proof) {
	_ = t.session.program.Put(ctx, terminal.Text{Submit: p.submit, Safe: func() error {
		m := t.look()
		f := p.find(m.screen)
		mine := f.known && !f.empty && (pr.begins(f.text) || p.pasted != nil && p.pasted.MatchString(f.text))
		if !mine || m.lastKey.After(pr.at) || p.asking(m, f) != "" || m.input.Unread > 0 {
			return errUnsafe
		}
		return nil
	}})
}
