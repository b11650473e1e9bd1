package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// watchForgotten has the lanes of machines that were forgotten drop their streams.
func (p *pump) watchForgotten(ctx context.Context) error {
	wait := newPause()
	for {
		machines, err := p.b.store.Forgotten(ctx, p.forgotten)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.b.fails("forget", fmt.Errorf("which machines were forgotten cannot be read: %w", err))
			_ = wait.Wait(ctx, nil)
			continue
		}
		wait.Reset()
		p.b.works("forget")
		for _, machine := range machines {
			p.mu.Lock()
			p.leaving[machine] = true
			if kick := p.lanes[machine]; kick != nil {
				nudge(kick)
			}
			p.mu.Unlock()
			p.begin(machine)
		}
	}
}

// forgotten reports whether the lane of a machine has to drop its stream.
func (p *pump) forgotten(machine string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaving[machine]
}

// drop removes the stream of a machine that was forgotten, and what is remembered of
// it. Only its lane does so, so that nothing is published there meanwhile. If the
// machine has come back in this moment, what was in the stream is sent again.
func (p *pump) drop(ctx context.Context, machine string) error {
	p.forget(machine)
	err := p.b.known.drop(machine)
	if err == nil {
		err = p.deleteStream(ctx, machine)
	}
	if err == nil {
		err = p.b.store.Republish(ctx, machine)
	}
	if err == nil {
		p.b.leave(machine)
		err = p.b.store.Dropped(ctx, machine)
	}
	if err != nil {
		return fmt.Errorf("what is kept for %s, which was forgotten, cannot be removed: %w", machine, p.explain(err))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.leaving, machine)
	return nil
}

// deleteStream deletes a machine's stream. In the user's own servers others may have
// messages there: then only ours go. What comes there between the two looks is in the
// outbox of its sender.
func (l *link) deleteStream(ctx context.Context, machine string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	name := l.b.place.stream(machine)
	if l.srv == nil {
		s, err := l.js.Stream(ctx, name)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(l.b.place.subject(machine, l.b.machine)))
		}
		var info *jetstream.StreamInfo
		if err == nil {
			info, err = s.Info(ctx)
		}
		if err == nil && info.State.Msgs > 0 {
			return nil
		}
		if err != nil {
			return absent(err)
		}
	}
	return absent(l.js.DeleteStream(ctx, name))
}

// absent leaves out the error that there is no such stream.
func absent(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// leave forgets the contact with a machine, so that all that it says is new.
func (b *Bus) leave(machine string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.peers, strings.ToLower(machine))
	delete(b.state.failing, "learn "+machine)
}
