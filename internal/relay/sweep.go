package relay

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

const (
	keptFor      = 30 * 24 * time.Hour // settled messages
	unwrappedFor = 90 * 24 * time.Hour // agents without a wrapper, after they were here last
	sweepEvery   = time.Hour
	sweepStep    = 200  // messages or agents, and
	sweepRows    = 2000 // deliveries, about: so that no caller waits long
)

// sweep removes settled messages that are old, and unwrapped that do not come back, some
// at a time. A message that still waits for somebody, or is in the outbox, stays
// however old it is.
func (s *Store) sweep(ctx context.Context) error {
	now := s.now()
	var last int64
	a := s.read(ctx)
	if _, err := a.get([]any{&last}, "SELECT value FROM fact WHERE name = 'swept'"); err != nil {
		return err
	}
	if since := now.Sub(sqlite.Moment(last)); since < sweepEvery && since >= 0 {
		return nil
	}
	old, err := a.strings(`SELECT id FROM message WHERE kept < ?
		AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.message = message.id)
		AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.message = message.id AND state < 3)
		ORDER BY kept LIMIT ?`, sqlite.Micros(now.Add(-keptFor)), sweepStep)
	if err != nil {
		return err
	}
	return s.write(ctx, func(a access) error {
		more, rows := len(old) == sweepStep, int64(0)
		for _, id := range old {
			if more = more || rows >= sweepRows; rows >= sweepRows {
				break
			}
			n, err := a.exec("DELETE FROM delivery WHERE message = ?", id)
			if err != nil {
				return err
			}
			if _, err := a.exec("DELETE FROM message WHERE id = ?", id); err != nil {
				return err
			}
			rows += n
		}
		if _, err := a.exec("DELETE FROM outbox WHERE message = '' AND published > 0 AND published < ?", sqlite.Micros(now.Add(-receiptsKept))); err != nil {
			return err
		}
		unwrapped, err := a.sweepUnwrapped(sqlite.Micros(now.Add(-unwrappedFor)))
		if more = more || unwrapped == sweepStep; more || err != nil {
			return err // there is more: the next one goes on
		}
		_, err = a.exec("INSERT OR REPLACE INTO fact (name, value) VALUES ('swept', ?)", sqlite.Micros(now))
		return err
	})
}

// sweepUnwrapped forgets agents without a wrapper, which were not here since, and for whom
// nothing waits: each session of such an agent is one, and most never come back.
func (a access) sweepUnwrapped(since int64) (n int, err error) {
	old, err := a.strings(`SELECT key FROM agent WHERE kind = '`+KindHooks+`' AND waiting = 0 AND max(seen, since) < ?
		AND NOT EXISTS (SELECT 1 FROM seat WHERE seat.agent = agent.key)
		AND NOT EXISTS (SELECT 1 FROM member WHERE member.agent = agent.key) LIMIT ?`, since, sweepStep)
	for _, agent := range old {
		if err == nil {
			err = a.remove(agent)
		}
		if err == nil {
			_, err = a.exec("DELETE FROM pair WHERE a = ?1 OR b = ?1", agent)
		}
	}
	return len(old), err
}

// receiptsKept is how long receipts stay in the outbox that were published: nobody
// confirms them, but their stream may be lost.
const receiptsKept = 7 * 24 * time.Hour
