package relay

import (
	"context"
	"fmt"

	"github.com/hookway/hookway/internal/sqlite"
)

// mostTries is how often a message may fail to be injected.
const mostTries = 5

// Begin says that a message is about to be injected as text, and how (see
// [Receipt]). When it returns, that is on disk. [ErrTaken] means that the message
// must not be injected: somebody else has it.
func (consumer *Consumer) Begin(ctx context.Context, id, text, how string) error {
	err := consumer.change(ctx, id, func(a access, d *delivery) error {
		if d.stage != queued && (d.stage != begun || d.owner != consumer.id) {
			return ErrTaken
		}
		p := consumer.presence()
		d.stage, d.owner, d.injectedIn, d.how = begun, consumer.id, p.Session, how
		d.text, d.transcript, d.history, d.begun = text, p.Transcript, p.History, sqlite.Micros(a.s.now())
		return nil
	})
	if err == nil {
		consumer.own(id)
	}
	return err
}

// Done says that a message was injected. Repeat is set if it may have been before.
func (consumer *Consumer) Done(ctx context.Context, id string, repeat bool) error {
	return consumer.change(ctx, id, func(a access, d *delivery) error {
		if d.owner != consumer.id || d.stage != begun && d.stage != injected && d.stage != seen && d.stage != replied {
			return ErrTaken
		}
		if d.stage == begun {
			d.stage = injected
		}
		if d.injected == 0 {
			d.injected = sqlite.Micros(a.s.now())
		}
		d.repeat, d.text, d.transcript, d.history = d.repeat || repeat, "", "", ""
		return nil
	})
}

// Confirm says that a message was injected, as the one says to whom it was given by
// another consumer, which may have ended. That consumer must have begun it in the same way (see
// Begin), and no other attempt may have begun it since. To confirm again changes nothing.
func (consumer *Consumer) Confirm(ctx context.Context, id, how string) error {
	d, found, err := consumer.s.read(ctx).of(id, "", consumer.agent)
	if err == nil && found && d.injected != 0 && (d.stage == injected || d.stage == seen || d.stage == replied) {
		return nil
	}
	if err != nil {
		return consumer.s.explain("changed", err)
	}
	session := consumer.presence().Session
	return consumer.change(ctx, id, func(a access, d *delivery) error {
		if d.stage == replied && d.injected == 0 && d.how == how { // the answer was faster
			d.injected = sqlite.Micros(a.s.now())
			return nil
		}
		if d.stage != begun || d.how != how {
			return ErrTaken
		}
		if alive, _, err := a.s.alive(d.owner); err != nil || alive && d.owner != consumer.id {
			return first(err, ErrTaken)
		}
		d.stage, d.owner, d.injectedIn, d.injected = injected, consumer.id, session, sqlite.Micros(a.s.now())
		d.text, d.transcript, d.history = "", "", ""
		return nil
	})
}

// Suppress says that a hook has blocked the message.
func (consumer *Consumer) Suppress(ctx context.Context, id, reason string) error {
	return consumer.settle(ctx, id, func(d *delivery) { d.stage, d.reason = suppressed, reason })
}

// Fail says that a message could not be injected. It is given out again by Take;
// after five failures it is dead, and the sender is notified.
func (consumer *Consumer) Fail(ctx context.Context, id, reason string) error {
	return consumer.settle(ctx, id, func(d *delivery) {
		d.stage, d.owner = queued, ""
		if d.tries++; d.tries >= mostTries {
			d.stage, d.reason = dead, fmt.Sprintf("it could not be given to the agent, %d times: %s", d.tries, reason)
		}
	})
}

// Release gives a message back that was taken or begun, and is known not to have
// been injected by this consumer. What is known of another one's attempt stays so, until
// this one begins it.
func (consumer *Consumer) Release(ctx context.Context, id string) error {
	consumer.mu.Lock()
	again, given := consumer.taken[id]
	consumer.mu.Unlock()
	switch {
	case again:
		err := consumer.change(ctx, id, func(_ access, d *delivery) error {
			if d.stage != begun || d.owner != consumer.id {
				return ErrTaken
			}
			d.owner = ""
			return nil
		})
		if err == nil {
			consumer.drop(id)
		}
		return err
	case given:
		d, found, err := consumer.s.read(ctx).of(id, "", consumer.agent)
		if err != nil {
			return consumer.s.explain("changed", err)
		}
		if !found || d.stage != begun || d.owner != consumer.id { // nothing was written
			consumer.drop(id)
			return nil
		}
	}
	return consumer.settle(ctx, id, func(d *delivery) { d.stage, d.owner = queued, "" })
}

// settle ends what the consumer has to do with a message that it has taken or begun.
func (consumer *Consumer) settle(ctx context.Context, id string, do func(*delivery)) error {
	return consumer.change(ctx, id, func(_ access, d *delivery) error {
		if d.stage != queued && (d.stage != begun || d.owner != consumer.id) {
			return ErrTaken
		}
		do(d)
		d.reason = clip(d.reason) // it goes to the sender, maybe through servers that bound what they take
		d.text, d.transcript, d.history = "", "", ""
		return nil
	})
}

// change changes the row of a message in one transaction. What is not begun by it
// is not the consumer's any more.
func (consumer *Consumer) change(ctx context.Context, id string, do func(access, *delivery) error) error {
	var after stage
	err := consumer.s.write(ctx, func(a access) error {
		d, found, err := a.of(id, "", consumer.agent)
		if err != nil {
			return err
		}
		if !found {
			return &UnknownError{Kind: "message", Name: id}
		}
		if err := do(a, &d); err != nil {
			return err
		}
		after = d.stage
		if err := a.active(consumer.agent); err != nil {
			return err
		}
		return a.move(d)
	})
	if err == nil && after != begun || isRefusal(err) {
		consumer.drop(id)
	}
	return consumer.s.explain("changed", err)
}

// own notes that an attempt is this consumer's now.
func (consumer *Consumer) own(id string) {
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	if _, given := consumer.taken[id]; given {
		consumer.taken[id] = false
	}
}

// drop forgets that a message was given out.
func (consumer *Consumer) drop(id string) {
	consumer.mu.Lock()
	delete(consumer.taken, id)
	consumer.mu.Unlock()
}

// Seen says that everything that was injected into the session was seen.
func (consumer *Consumer) Seen(ctx context.Context) error {
	session := consumer.presence().Session
	a := consumer.s.read(ctx)
	const unseen = " FROM delivery d WHERE d.machine = '' AND d.state = 3 AND d.injected_in = ? "
	any, err := a.get([]any{new(int)}, "SELECT 1"+unseen+"LIMIT 1", session)
	if !any || err != nil {
		return consumer.s.explain("read", err)
	}
	err = consumer.s.write(ctx, func(a access) error {
		var d delivery
		var rows []delivery
		if err := a.each(d.fields(), func() error { rows = append(rows, d); return nil }, "SELECT "+deliveryColumns+unseen, session); err != nil {
			return err
		}
		for _, d := range rows {
			d.stage, d.seen = seen, sqlite.Micros(a.s.now())
			if err := a.move(d); err != nil {
				return err
			}
		}
		return nil
	})
	return consumer.s.explain("changed", err)
}

// Human says that a person has spoken in the session: messages to and fro are
// counted anew.
func (consumer *Consumer) Human(ctx context.Context) error {
	any, err := consumer.s.read(ctx).get([]any{new(int)}, "SELECT 1 FROM pair WHERE "+pairsOf+" LIMIT 1", consumer.agent)
	if any && err == nil {
		err = consumer.s.write(ctx, func(a access) error { return a.forgetPairs(consumer.agent) })
	}
	return consumer.s.explain("changed", err)
}
