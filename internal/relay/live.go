package relay

import (
	"context"
	"os"
	"time"
)

// live is a seat, and when its process was last heard of, if that has ended.
type live struct {
	id, agent, session string
	heard              time.Time
}

// sitting gives the seats of an agent, or with "" of all, that are alive, and those
// that are not.
func (a access) sitting(agent string) (alive, gone []live, err error) {
	query, args := "SELECT id, agent, session FROM seat", []any(nil)
	if agent != "" {
		query, args = query+" WHERE agent = ?", []any{agent}
	}
	var one live
	var all []live
	if err := a.each([]any{&one.id, &one.agent, &one.session}, func() error { all = append(all, one); return nil }, query, args...); err != nil {
		return nil, nil, err
	}
	for _, seat := range all {
		ok, heard, err := a.s.alive(seat.id)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			alive = append(alive, seat)
		} else {
			seat.heard = heard
			gone = append(gone, seat)
		}
	}
	return alive, gone, nil
}

// running tells of an agent, or with "" of all, whether a session of theirs is alive.
func (a access) running(agent string) (map[string]bool, error) {
	alive, _, err := a.sitting(agent)
	running := map[string]bool{}
	for _, seat := range alive {
		running[seat.agent] = true
	}
	return running, err
}

// reap removes the seats of processes that have ended without giving them back.
func (s *Store) reap(ctx context.Context) error {
	_, gone, err := s.read(ctx).sitting("")
	if len(gone) == 0 || err != nil {
		return err
	}
	return s.write(ctx, func(a access) error {
		for _, seat := range gone {
			if err := a.vacate(seat.id, time.Time{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// vacate removes a seat that is not alive. It has ended when it was last heard of, if
// it is not known better.
func (a access) vacate(id string, ended time.Time) error {
	alive, heard, err := a.s.alive(id)
	if alive || err != nil {
		return err
	}
	if ended.IsZero() {
		ended = heard
	}
	var agent string
	known, err := a.get([]any{&agent}, "SELECT agent FROM seat WHERE id = ?", id)
	if !known || err != nil {
		return err
	}
	if _, err := a.exec("DELETE FROM seat WHERE id = ?", id); err != nil {
		return err
	}
	running, err := a.running(agent)
	if err != nil {
		return err
	}
	if !running[agent] {
		if _, err := a.exec("UPDATE agent SET since = max(since, ?1), seen = max(seen, ?1) WHERE key = ?2", micros(ended), agent); err != nil {
			return err
		}
	}
	_ = os.Remove(a.s.seatFile(id)) // it says nothing any more
	return nil
}
