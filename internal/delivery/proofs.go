package delivery

import (
	"context"
	"sync"
	"time"
)

// watchEvery is how often the terminal channel looks whether the agent or its user have
// done something.
const watchEvery = 500 * time.Millisecond

// proofs holds what is not in the store of messages yet: that the agent has done
// something since it was given a message, and that a person has written.
type proofs struct {
	mu     sync.Mutex
	shown  bool      // there is a message that was shown, and not proven
	before int       // events when the last that was typed was claimed
	taken  time.Time // when an event took the last of the others; zero: it was typed
	claim  int       // events when the last was claimed

	lines      int64 // of the user, of which the store knows
	prompts    int
	transcript string
}

// beforeGiven notes that the program is about to get a message, and where the agent
// keeps its transcript, if that is news.
func (t *Terminal) beforeGiven(ctx context.Context) {
	a, ok := t.Edge.Activity()
	if !ok {
		return
	}
	t.observe(ctx, a)
	t.proofs.mu.Lock()
	defer t.proofs.mu.Unlock()
	t.proofs.claim = a.Events
}

// given notes that the program has a message, and that the store knows it. One that an
// event has taken is proven by the next, which may have come already.
func (t *Terminal) given(at time.Time) {
	p := &t.proofs
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown, p.before, p.taken = true, p.claim, at
}

// proves reports whether the agent has done something since it got the last message. The
// caller holds mu.
func (p *proofs) proves(a Activity) bool {
	if !p.taken.IsZero() {
		return a.Last.After(p.taken)
	}
	return a.Events > p.before
}

// watch notes in the store what happens in the session.
func (t *Terminal) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		t.observeUser(ctx)
		if a, ok := t.Edge.Activity(); ok {
			t.observe(ctx, a)
		}
	}
}

// observeUser notes in the store that the user has ended a line since the last look.
func (t *Terminal) observeUser(ctx context.Context) {
	lines := t.Edge.UserLines()
	t.proofs.mu.Lock()
	wrote := lines != t.proofs.lines
	t.proofs.lines = lines
	t.proofs.mu.Unlock()
	if wrote {
		_ = t.consumer.Human(ctx) // the next line notes it again
	}
}

// observe notes in the store what the agent's own hooks have reported.
func (t *Terminal) observe(ctx context.Context, a Activity) {
	p := &t.proofs
	p.mu.Lock()
	proven := p.shown && p.proves(a)
	if proven {
		p.shown = false
	}
	wrote := a.Prompts != p.prompts && !t.Edge.Typed(a.Prompt)
	p.prompts = a.Prompts
	moved := a.Transcript != "" && a.Transcript != p.transcript
	p.transcript = a.Transcript
	p.mu.Unlock()
	if moved {
		presence := t.Presence
		presence.Transcript = a.Transcript
		_ = t.consumer.Update(ctx, presence)
	}
	if wrote {
		_ = t.consumer.Human(ctx)
	}
	if proven && t.Prove(ctx) != nil {
		p.mu.Lock()
		p.shown = true
		p.mu.Unlock()
	}
}
