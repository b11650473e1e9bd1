package spool

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Status is how a webhook stands.
type Status struct {
	Webhook
	Waiting int       // messages
	Refused int       // messages for which there was no room
	Dropped int       // messages that were given up
	Since   time.Time // since when it does not answer; zero: it does
	Next    time.Time // when it is tried again
	Error   string    // why it does not
}

// Status gives the webhooks for which something waits, or was lost.
func (s *Spool) Status(ctx context.Context) (all []Status, err error) {
	if !s.exists() {
		return nil, nil
	}
	err = s.do(ctx, "read", func(file *sqlite.File) error {
		all = nil
		rows, err := file.QueryContext(ctx, `SELECT place, id, waiting, refused, dropped, since, next, error FROM webhook
			WHERE waiting > 0 OR refused > 0 OR dropped > 0 OR failures > 0 ORDER BY place, id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var one Status
			var since, next int64
			if err := rows.Scan(&one.Place, &one.ID, &one.Waiting, &one.Refused, &one.Dropped, &since, &next, &one.Error); err != nil {
				return err
			}
			if since > 0 {
				one.Since, one.Next = time.UnixMicro(since), time.UnixMicro(next)
			}
			all = append(all, one)
		}
		return rows.Err()
	})
	return all, err
}
