package relay

import (
	"context"
	"os"
	"time"
)

// Leads reports whether the seat has the inbox of its name, and takes it if nobody
// has it any more.
func (seat *Seat) Leads(ctx context.Context) (bool, error) {
	leads, err := seat.leads(ctx)
	return leads, seat.s.explain("read", err)
}

// leads also holds for a seat of the session that has the inbox: the same agent is
// there, whether it is written to or asks.
func (seat *Seat) leads(ctx context.Context) (bool, error) {
	seat.touch()
	seat.mu.Lock()
	if seat.lease != nil || seat.closed {
		defer seat.mu.Unlock()
		return !seat.closed, nil
	}
	file, err := lockFile(seat.s.leaseFile(seat.agent))
	if err != nil {
		seat.mu.Unlock()
		return false, err
	}
	seat.lease = file
	p := seat.p
	seat.mu.Unlock()
	if file != nil {
		return true, seat.s.write(ctx, func(a access) error { return a.lead(seat.agent, p) })
	}
	var lead string
	_, err = seat.s.read(ctx).get([]any{&lead}, "SELECT lead FROM agent WHERE key = ?", seat.agent)
	return lead == p.Session, err
}

// lead notes which session has the inbox of an agent.
func (a access) lead(agent string, p Presence) error {
	_, err := a.exec("UPDATE agent SET lead = ?, program = ?, cwd = ?, kind = ?, seen = ? WHERE key = ?",
		p.Session, p.Program, p.CWD, p.Kind, micros(a.s.now()), agent)
	return err
}

// touch notes on the lock's file that the session lives: should its process be
// killed, that is when it was last heard of.
func (seat *Seat) touch() {
	seat.mu.Lock()
	defer seat.mu.Unlock()
	now := seat.s.now()
	if now.Sub(seat.noted) < 10*time.Second || seat.closed {
		return
	}
	seat.noted = now
	_ = os.Chtimes(seat.s.seatFile(seat.id), now, now)
}
