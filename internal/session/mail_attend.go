package session

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/delivery"
)

// attendEvery is how often is looked whether the agent or its user have done
// something.
const attendEvery = 500 * time.Millisecond

// attends knows what the store was not told yet: that an agent has done something
// since a message was put into its session, and that a person has spoken.
type attends struct {
	mu     sync.Mutex
	wait   bool      // there is a message that was injected and not seen
	before int       // events when the last that was typed was begun
	given  time.Time // when an event took the last of the others; zero: it was typed
	open   int       // events when the last was begun

	lines      int64 // of the user, that are told
	prompts    int
	transcript string
}

// begins notes that a message is about to be typed or given, and where the agent
// keeps what it is told, if that is news.
func (o *office) begins(ctx context.Context) {
	if o.s.hooks == nil {
		return
	}
	h := o.s.hooks.Activity()
	o.hear(ctx, h)
	o.attends.mu.Lock()
	defer o.attends.mu.Unlock()
	o.attends.open = h.Events
}

// injected notes that the program has a message, and that the store knows it. One
// that an event has taken is seen by the next, which may have come already.
func (a *attends) injected(i *injection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wait, a.before, a.given = true, a.open, i.at
}

// answered reports whether the agent has done something since it got the last
// message. The caller holds mu.
func (a *attends) answered(h delivery.Activity) bool {
	if !a.given.IsZero() {
		return h.Last.After(a.given)
	}
	return h.Events > a.before
}

// attend tells the store what happens in the session.
func (o *office) attend(ctx context.Context) {
	look := time.NewTicker(attendEvery)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		o.human(ctx)
		if o.s.hooks != nil {
			o.hear(ctx, o.s.hooks.Activity())
		}
	}
}

// human tells the store that the user has ended a line since that was told last.
func (o *office) human(ctx context.Context) {
	lines := o.s.program.UserLines()
	o.attends.mu.Lock()
	spoken := lines != o.attends.lines
	o.attends.lines = lines
	o.attends.mu.Unlock()
	if spoken {
		_ = o.seat.Human(ctx) // it is told again with the next line
	}
}

// hear tells the store what the agent's own hooks have told.
func (o *office) hear(ctx context.Context, h delivery.Activity) {
	a := &o.attends
	a.mu.Lock()
	seen := a.wait && a.answered(h)
	if seen {
		a.wait = false
	}
	spoken := h.Prompts != a.prompts && !o.s.typist.lately.has(h.Prompt)
	a.prompts = h.Prompts
	learnt := h.Transcript != "" && h.Transcript != a.transcript
	a.transcript = h.Transcript
	a.mu.Unlock()
	if learnt {
		_ = o.seat.Update(ctx, o.presence(h.Transcript))
	}
	if spoken {
		_ = o.seat.Human(ctx)
	}
	if seen && o.seat.Seen(ctx) != nil {
		a.mu.Lock()
		a.wait = true
		a.mu.Unlock()
	}
}

const (
	latelyMost    = 32  // texts by which it is known that a prompt is ours
	latelyLetters = 200 // of each
)

// lately are the texts that were typed last.
type lately struct {
	mu  sync.Mutex
	all []string
}

func (l *lately) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, known(text))
	l.all = l.all[max(0, len(l.all)-latelyMost):]
}

func (l *lately) has(prompt string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	prompt = letters(prompt)
	for _, text := range l.all {
		if text != "" && strings.Contains(prompt, text) {
			return true
		}
	}
	return false
}

func known(text string) string {
	all := []rune(letters(delivery.Plain(text)))
	return string(all[:min(len(all), latelyLetters)])
}
