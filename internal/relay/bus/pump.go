package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hookway/hookway/internal/relay"
)

// Bounds of what is under way between outbox and stream, for one machine.
const (
	mostRows  = 256     // of the outbox, in memory
	batchRows = 128     // on their way
	batchSize = 4 << 20 // of their text
	mostLanes = 8       // machines at once; all others wait for their turn
)

// pump publishes the outbox. Each machine has a lane of its own, so that one whose
// stream takes nothing holds up no other.
type pump struct {
	*link
	group *group
	turns chan struct{}

	mu      sync.Mutex
	lanes   map[string]chan struct{} // kicks of those that are under way, by machine
	leaving map[string]bool          // machines that were forgotten, whose lane has that to do
}

func newPump(l *link, g *group) *pump {
	return &pump{link: l, group: g, turns: make(chan struct{}, mostLanes), lanes: map[string]chan struct{}{}, leaving: map[string]bool{}}
}

// run begins a lane for each machine that something waits for.
func (p *pump) run(ctx context.Context) error {
	p.survey(ctx)
	p.group.start(p.heed)
	p.group.start(p.watchForgotten)
	wait := newPause()
	for {
		machines, err := p.b.store.Targets(ctx, p.under)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.b.fails("outbox", fmt.Errorf("the outbox cannot be read: %w", err))
			_ = wait.Wait(ctx, nil)
			continue
		}
		wait.Reset()
		p.b.works("outbox")
		for _, machine := range machines {
			p.begin(machine)
		}
	}
}

// heed tries again at once when something has happened that may mend what failed.
func (p *pump) heed(ctx context.Context) error {
	for {
		select {
		case <-p.retry:
			p.survey(ctx)
			p.mu.Lock()
			for _, kick := range p.lanes {
				nudge(kick)
			}
			p.mu.Unlock()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// survey looks at all streams that were published to and not looked at since, so
// that what was in one that is gone is sent again. Should nothing be known of them, the
// outbox says which there were.
func (p *pump) survey(ctx context.Context) {
	machines, err := p.b.store.Unconfirmed(ctx)
	if err != nil && ctx.Err() == nil {
		p.b.fails("outbox", fmt.Errorf("the outbox cannot be read: %w", err))
	}
	for _, machine := range append(machines, p.b.known.machines()...) {
		switch {
		case machine == p.b.machine:
			p.retire(ctx)
		case !p.met(machine):
			p.begin(machine)
		}
	}
}

// retire removes the stream that an older version had for messages to this machine
// itself. The store has delivered what was in it. If that fails, the next start does it.
func (p *pump) retire(ctx context.Context) {
	if p.srv != nil && p.deleteStream(ctx, p.b.machine) != nil {
		return
	}
	if err := p.b.known.drop(p.b.machine); err != nil {
		p.b.say("how far the relay's streams are cannot be written: %v", err)
	}
}

// under reports whether the lane of a machine is under way.
func (p *pump) under(machine string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lanes[machine] != nil
}

// begin starts the lane of a machine, unless it is under way.
func (p *pump) begin(machine string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lanes[machine] != nil {
		return
	}
	kick := make(chan struct{}, 1)
	p.lanes[machine] = kick
	p.group.wg.Go(func() {
		err := p.lane(p.group.ctx, machine, kick)
		p.mu.Lock()
		delete(p.lanes, machine)
		gone := p.leaving[machine]
		p.mu.Unlock()
		if err != nil {
			p.group.cancel(err)
			return
		}
		if gone { // since its last look
			p.begin(machine)
		}
		p.b.store.NotifyOutgoing() // what came since is the next one's
	})
}

// lane publishes all that there is for a machine.
func (p *pump) lane(ctx context.Context, machine string, kick <-chan struct{}) error {
	part := "publish " + machine
	wait := newPause()
	for failed := 0; ; {
		some, err := p.step(ctx, machine, failed > 0)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			failed = 0
			wait.Reset()
			p.b.works(part)
			if !some {
				p.b.remember()
				return nil
			}
			continue
		}
		if p.srv != nil || p.nc.IsConnected() { // else the log has it already
			p.b.fails(part, err)
		}
		var bad *storeError
		if failed++; p.gone() || errors.As(err, &bad) && bad.stuck() && failed > 2 {
			return errGone
		}
		if some {
			wait.Reset()
		}
		_ = wait.Wait(ctx, kick)
	}
}

// step publishes the first rows for a machine; it reports whether some are gone, so
// that there may be more. If careful, a batch is not tried: what has failed may be
// half stored.
func (p *pump) step(ctx context.Context, machine string, careful bool) (some bool, err error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if p.forgotten(machine) {
		return false, p.drop(ctx, machine)
	}
	s, fresh, err := p.stream(ctx, machine)
	if err != nil {
		return false, p.waits(machine, err)
	}
	if fresh {
		return true, nil // there may be rows before those that there were
	}
	rows, err := p.b.store.OutgoingTo(ctx, machine, mostRows)
	if err != nil {
		return false, fmt.Errorf("the outbox cannot be read: %w", err)
	}
	if len(rows) == 0 {
		return false, nil
	}
	return p.publish(ctx, s, machine, rows, careful)
}

// waits says that messages for a machine wait, and why.
func (p *pump) waits(machine string, err error) error {
	p.forget(machine)
	return fmt.Errorf("messages for %s cannot be stored; they wait in the outbox: %w", machine, p.explain(err))
}

// publish stores rows for one machine, in order, and tells the outbox of those that
// are stored. It stops at the first that is not; it reports whether any was.
func (p *pump) publish(ctx context.Context, s *stream, machine string, rows []relay.Envelope, careful bool) (some bool, err error) {
	if rows, err = p.refuse(ctx, s, rows); err != nil {
		return false, err
	}
	for first := true; len(rows) > 0; first = false {
		stored := 0
		part, err := p.room(ctx, s, rows[:fitting(rows)])
		if err == nil {
			stored, err = p.store(ctx, s, machine, part, careful)
		}
		if stored > 0 {
			seqs := make([]int64, stored)
			for i, r := range part[:stored] {
				seqs[i] = r.Seq
			}
			if e := p.b.store.Published(ctx, seqs); e != nil {
				return false, fmt.Errorf("the outbox cannot be written: %w", e)
			}
		}
		if err != nil {
			return !first || stored > 0, p.waits(machine, err)
		}
		rows = rows[stored:]
	}
	return true, nil
}

// refuse takes out what is longer than the servers take, which would be so at each
// try, and gives the others.
func (p *pump) refuse(ctx context.Context, s *stream, rows []relay.Envelope) ([]relay.Envelope, error) {
	most := p.longest(s)
	var fit []relay.Envelope
	for _, r := range rows {
		if len(r.Data) <= most {
			fit = append(fit, r)
			continue
		}
		why := fmt.Sprintf("too large for the servers (%d bytes; limit %d)", len(r.Data), most)
		if err := p.b.store.Refuse(ctx, r.Seq, why); err != nil {
			return nil, fmt.Errorf("the outbox cannot be written: %w", err)
		}
		p.b.say("a message for %s is refused: %s", r.Machine, why)
	}
	return fit, nil
}
