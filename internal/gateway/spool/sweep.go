package spool

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// sweep drops what is too old, and what no configuration has had for a day.
func (c *carrying) sweep(ctx context.Context, now time.Time) error {
	old, err := c.drop(ctx, "made <= ?", micros(now.Add(-keepTime)))
	if err != nil {
		return err
	}
	for w, n := range old {
		c.log("webhook %s: it did not answer for three days, so %d messages were dropped", w.ID, n)
	}
	lost, err := c.drop(ctx, "EXISTS (SELECT 1 FROM webhook w WHERE w.place = message.place AND w.id = message.webhook AND w.lost > 0 AND w.lost <= ?)", micros(now.Add(-lostTime)))
	if err != nil {
		return err
	}
	for w, n := range lost {
		c.log("webhook %s is in %s no more since a day, so %d messages were dropped", w.ID, w.Place, n)
	}
	return c.do(ctx, "removed", func(file *sqlite.File) error {
		_, err := file.ExecContext(ctx, "DELETE FROM webhook WHERE lost > 0 AND lost <= ? AND waiting = 0", micros(now.Add(-lostTime)))
		return err
	})
}

// drop removes messages, and counts them.
func (c *carrying) drop(ctx context.Context, which string, arg any) (dropped map[Webhook]int, err error) {
	err = c.do(ctx, "removed", func(file *sqlite.File) error {
		dropped = map[Webhook]int{}
		return file.Write(ctx, func(tx *sql.Tx) error {
			clear(dropped)
			rows, err := tx.QueryContext(ctx, "SELECT place, webhook, count(*) FROM message WHERE "+which+" GROUP BY place, webhook", arg)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var w Webhook
				var n int
				if err := rows.Scan(&w.Place, &w.ID, &n); err != nil {
					return err
				}
				dropped[w] = n
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(dropped) == 0 {
				return err
			}
			for w, n := range dropped {
				if _, err := tx.ExecContext(ctx, "UPDATE webhook SET dropped = dropped + ? WHERE place = ? AND id = ?", n, w.Place, w.ID); err != nil {
					return err
				}
			}
			_, err = tx.ExecContext(ctx, "DELETE FROM message WHERE "+which, arg)
			return err
		})
	})
	return dropped, err
}

// lose notes since when webhooks are in their configuration no more.
func (c *carrying) lose(ctx context.Context, all Loaded, now time.Time) error {
	return c.do(ctx, "noted", func(file *sqlite.File) error {
		rows, err := file.QueryContext(ctx, "SELECT id, lost FROM webhook WHERE place = ?", all.Place)
		if err != nil {
			return err
		}
		defer rows.Close()
		changed := map[string]int64{}
		for rows.Next() {
			var id string
			var lost int64
			if err := rows.Scan(&id, &lost); err != nil {
				return err
			}
			_, there := all.Targets[id]
			switch {
			case there && lost > 0:
				changed[id] = 0
			case !there && lost == 0 && !all.Broken:
				changed[id] = micros(now)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
		for id, lost := range changed {
			if _, err := file.ExecContext(ctx, "UPDATE webhook SET lost = ? WHERE place = ? AND id = ?", lost, all.Place, id); err != nil {
				return err
			}
		}
		return nil
	})
}
