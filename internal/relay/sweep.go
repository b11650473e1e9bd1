package relay

import (
	"context"
	"time"
)

const (
	keptFor    = 30 * 24 * time.Hour // settled messages
	sweepEvery = time.Hour
	sweepStep  = 200 // messages, so that nobody waits long
)

// sweep removes settled messages that are old, some at a time. A message that still
// waits for somebody, or is in the outbox, stays however old it is.
func (s *Store) sweep(ctx context.Context) error {
	now := s.now()
	var last int64
	a := s.read(ctx)
	if _, err := a.get([]any{&last}, "SELECT value FROM fact WHERE name = 'swept'"); err != nil {
		return err
	}
	if since := now.Sub(moment(last)); since < sweepEvery && since >= 0 {
		return nil
	}
	old, err := a.strings(`SELECT id FROM message WHERE kept < ?
		AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.message = message.id)
		AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.message = message.id AND state < 3)
		ORDER BY kept LIMIT ?`, micros(now.Add(-keptFor)), sweepStep)
	if err != nil {
		return err
	}
	return s.write(ctx, func(a access) error {
		for _, id := range old {
			for _, remove := range []string{"DELETE FROM delivery WHERE message = ?", "DELETE FROM message WHERE id = ?"} {
				if _, err := a.exec(remove, id); err != nil {
					return err
				}
			}
		}
		if _, err := a.exec("DELETE FROM outbox WHERE message = '' AND published > 0 AND published < ?", micros(now.Add(-receiptsKept))); err != nil {
			return err
		}
		if len(old) == sweepStep {
			return nil // there is more: the next one goes on
		}
		_, err := a.exec("INSERT OR REPLACE INTO fact (name, value) VALUES ('swept', ?)", micros(now))
		return err
	})
}
