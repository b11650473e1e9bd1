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
		err := seat.s.write(ctx, func(a access) error { return a.lead(seat, p) })
		if err != nil {
			seat.yield(file)
		}
		return err == nil, err
	}
	// The one that has the lease may not have said so yet: then the one before it is
	// noted still, which has ended.
	var lead, session string
	_, err = seat.s.read(ctx).get([]any{&lead, &session}, "SELECT seat.id, seat.session FROM agent JOIN seat ON seat.id = agent.lead WHERE key = ?", seat.agent)
	if err != nil || session != p.Session {
		return false, err
	}
	alive, _, err := seat.s.alive(lead)
	return alive, err
}

// yield gives the inbox back that nobody could be told of: at the next call it is
// taken again, and noted.
func (seat *Seat) yield(file *os.File) {
	seat.mu.Lock()
	defer seat.mu.Unlock()
	if seat.lease == file { // else Close has it
		seat.lease = nil
		_ = file.Close()
	}
}

// lead notes which seat has the inbox of its agent.
func (a access) lead(seat *Seat, p Presence) error {
	_, err := a.exec("UPDATE agent SET lead = ?, program = ?, cwd = ?, kind = ?, seen = ? WHERE key = ?",
		seat.id, p.Program, p.CWD, p.Kind, micros(a.s.now()), seat.agent)
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
