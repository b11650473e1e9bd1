package spool

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/webhook"
)

// claimed is a message that this process may send, until its lease ends.
type claimed struct {
	webhook.Message
	seq   int64
	made  time.Time
	tries int
}

// result is what became of a message that was claimed.
type result struct {
	*claimed
	fate    fate
	err     error
	after   time.Duration // for which the server asked
	refused bool          // the server has seen it, and did not take it
}

type fate int

const (
	untried fate = iota
	delivered
	failed
	gone // the server never wants to hear anything again
)

// claim is one look into the file for a webhook: what was sent is noted, and what is
// to be sent next taken out.
type claim struct {
	*Spool
	target *Target
	owner  string
	lease  time.Duration
	first  int64 // no message before it
	most   int   // messages; 0 takes none
	now    time.Time

	tx       *sql.Tx
	failures int
	since    int64
	next     int64
	problem  string
	rows     []*claimed
	lines    []string // to be logged when it is done
}

// claim notes the results, and takes messages that are due.
func (c *claim) run(ctx context.Context, results []result) ([]*claimed, error) {
	err := c.do(ctx, "sent", func(file *sqlite.File) error {
		return file.Write(ctx, func(tx *sql.Tx) error {
			c.tx, c.rows, c.lines = tx, nil, nil
			err := tx.QueryRowContext(ctx, "SELECT failures, since, next, error FROM webhook WHERE place = ? AND id = ?", c.target.Place, c.target.ID).Scan(&c.failures, &c.since, &c.next, &c.problem)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err == nil {
				err = c.settle(ctx, results)
			}
			if err == nil && c.most > 0 {
				err = c.choose(ctx)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for _, line := range c.lines {
		c.log("%s", line)
	}
	return c.rows, nil
}

// choose takes messages: one, if the webhook has failed.
func (c *claim) choose(ctx context.Context) error {
	most := c.most
	if c.failures > 0 {
		if c.next > micros(c.now) {
			return nil
		}
		most = 1
	}
	rows, err := c.tx.QueryContext(ctx, `SELECT seq, id, event, body, made, tries FROM message
		WHERE place = ? AND webhook = ? AND next <= ? AND until <= ? AND seq >= ? ORDER BY next, seq LIMIT ?`,
		c.target.Place, c.target.ID, micros(c.now), micros(c.now), c.first, most)
	if err != nil {
		return err
	}
	defer rows.Close()
	for size := 0; size < mostBytes && rows.Next(); {
		one := &claimed{}
		var made int64
		if err := rows.Scan(&one.seq, &one.ID, &one.Event, &one.Body, &made, &one.tries); err != nil {
			return err
		}
		one.made = time.UnixMicro(made)
		size += len(one.Body)
		c.rows = append(c.rows, one)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(c.rows) == 0 {
		return err
	}
	until := micros(c.now.Add(c.lease))
	for _, one := range c.rows {
		if _, err := c.tx.ExecContext(ctx, "UPDATE message SET owner = ?, until = ? WHERE seq = ?", c.owner, until, one.seq); err != nil {
			return err
		}
	}
	if c.failures == 0 {
		return nil
	}
	_, err = c.tx.ExecContext(ctx, "UPDATE webhook SET next = ? WHERE place = ? AND id = ?", until, c.target.Place, c.target.ID) // one probe at a time
	return err
}
