package session

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/delivery"
)

// AgentHooks is what a session and the hooks that its agent calls by itself tell
// each other, so that the session has one begin and one end, and text reaches the
// agent by its own hooks where they take some. Its methods may be called from many
// goroutines.
type AgentHooks interface {
	// Begin says that SessionStart was fired, before the program runs. The agent's
	// own report of it gets the text that the hooks injected. A nil offer: there
	// is not text, or it is to be typed.
	Begin(text string) delivery.Offer

	// Offer leaves a text for the next event of the agent that takes one. Nil: the text
	// is to be typed. See [delivery.Shared.Offer].
	Offer(text string, behind delivery.Offer, still time.Duration, first func() bool) delivery.Offer

	// Activity says what the agent's hooks have reported so far. It is asked often.
	Activity() delivery.Activity

	// Written gives what the agent wrote lately, as far as its hooks have reported it:
	// whole texts, the oldest first.
	Written() []string

	// End calls fire, unless the agent has reported its end already, or does so
	// just now: then it waits until that is judged.
	End(ctx context.Context, fire func(context.Context))
}

// handed ends an injection that the agent has.
func (i *injection) handed() {
	i.step(stateSubmitted)
	i.end()
}

// end is what became of an offer.
type end struct {
	taken bool      // the agent has it
	at    time.Time // since then
	rest  string    // else this is to be typed
}

// ends notes what became of the injection's offer.
func (i *injection) ends(e end) {
	i.offer, i.has, i.at = nil, e.taken, e.at
	if !e.taken {
		if e.rest != i.body {
			i.repeat = true
			if i.quoted != "" {
				i.quoted = delivery.MarkRepeat(i.quoted)
			}
		}
		i.body = e.rest
	}
}

// await waits for the fate of an offer with the text body, which is taken back
// when texts are held.
func (s *session) await(ctx context.Context, p delivery.Offer, body string) end {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-s.program.Done():
		case <-s.typist.heldBack():
		case <-ctx.Done():
		}
	}()
	switch p.Await(ctx, s.stillness) {
	case delivery.Delivered:
		return end{taken: true, at: p.At()}
	case delivery.Unconfirmed:
		return end{rest: delivery.MarkRepeat(body)}
	}
	return end{rest: body}
}

// heldBack is closed when texts are held.
func (t *typist) heldBack() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.holding {
		return t.toggled
	}
	held := make(chan struct{})
	close(held)
	return held
}

// stillness is for how long the agent has shown nothing new at its input. One
// that shows none, because it asks something or has no use for a screen, does not
// wait for what is typed: what it shows says nothing.
func (s *session) stillness() time.Duration {
	screen := s.program.Screen()
	p := s.typist.profile
	if screen.Changed.IsZero() || p.box && !p.find(screen).known {
		return 0
	}
	return time.Since(screen.Changed)
}

// begin hands over what SessionStart's hooks inject. It must be there before the
// program is, whose own report of its start may take it at once.
func (s *session) begin(text string) {
	if s.hooks != nil {
		s.first, s.firstText = s.hooks.Begin(text), text
	}
	if s.first == nil {
		s.typist.put(text)
	}
}

// carryFirst has the text of SessionStart typed if the agent does not take it. It
// holds up no other text: an agent may report its start at its first prompt only.
func (s *session) carryFirst(ctx context.Context) {
	if s.first == nil {
		return
	}
	if e := s.await(ctx, s.first, s.firstText); !e.taken {
		s.typist.put(e.rest)
	}
}

// carry has an event of the agent take a text, if the agent works. The error is
// errCarried if the agent has it, or says that it must not get it; otherwise the
// text that is left in the injection is to be typed. One event takes all texts that
// wait, so that those behind this one are left to the agent's hooks meanwhile.
func (t *typist) carry(ctx context.Context, item *injection) error {
	if t.session.hooks == nil {
		return nil
	}
	if item.offer == nil {
		if err := t.offer(ctx, item, nil); err != nil || item.offer == nil {
			return err
		}
	}
	fate := make(chan end, 1)
	go func(p delivery.Offer, body string) { fate <- t.session.await(ctx, p, body) }(item.offer, item.body)
	t.follow(ctx, item.offer)
	e := t.gather(ctx, item.offer, fate)
	if item.ends(e); e.taken {
		return errCarried
	}
	t.recall(ctx)
	return nil
}

// gather leaves what comes to the agent's hooks, behind an offer, until the fate of
// that is known.
func (t *typist) gather(ctx context.Context, first delivery.Offer, fate <-chan end) end {
	for open := true; ; {
		waiting := t.waiting
		if !open || !t.following() { // what comes would not be left there
			waiting = nil
		}
		select {
		case e := <-fate:
			return e
		case next, ok := <-waiting:
			if open = ok; open {
				t.line = append(t.line, next)
				t.follow(ctx, first)
			}
		}
	}
}

// offer leaves a text to the agent's hooks, if the agent works: then it has a
// offer.
func (t *typist) offer(ctx context.Context, item *injection, behind delivery.Offer) (err error) {
	s := t.session
	p := s.hooks.Offer(item.body, behind, s.stillness(), func() bool {
		err = item.claim(ctx, item.body, howHook)
		return err == nil
	})
	if p == nil || err != nil {
		return err
	}
	item.offer, item.outputsBefore = p, s.outputs.Load()
	item.waits("the agent works; its next event takes the text")
	return nil
}

// follow leaves the texts in line to the agent's hooks as well, in order.
func (t *typist) follow(ctx context.Context, last delivery.Offer) {
	for _, item := range t.line {
		if item.offer == nil && !item.has {
			// Should somebody else have it, that comes up when it is its turn.
			if item.withdrawn.Load() || t.offer(ctx, item, last) != nil || item.offer == nil {
				return
			}
		}
		if item.offer != nil {
			last = item.offer
		}
	}
}

// following reports whether all texts in line are with the agent's hooks.
func (t *typist) following() bool {
	if len(t.line) == 0 {
		return true
	}
	last := t.line[len(t.line)-1]
	return last.offer != nil || last.has
}

// recall takes the texts in line back from the agent's hooks: the one in front of
// them is not there any more.
func (t *typist) recall(ctx context.Context) {
	for _, item := range t.line {
		if item.offer != nil {
			item.ends(t.session.await(ctx, item.offer, item.body))
		}
	}
}
