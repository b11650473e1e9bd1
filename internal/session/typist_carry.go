package session

import (
	"context"

	"github.com/hookway/hookway/internal/delivery"
)

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
