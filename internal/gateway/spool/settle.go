package spool

import (
	"context"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
)

// settle notes what became of messages. A webhook that took any of them answers.
func (c *claim) settle(ctx context.Context, results []result) error {
	counts := map[fate]int{}
	var last *result
	unset := ""   // why nothing could be sent
	news := false // of the webhook: that it refuses once more what it has refused is none
	for i := range results {
		r := &results[i]
		counts[r.fate]++
		if r.fate == untried && r.err != nil {
			unset = hook.LogLine(r.err.Error())
		}
		if r.fate >= failed {
			last, news = r, news || !r.refused || r.tries == 0
		}
		if err := c.settleOne(ctx, r); err != nil {
			return err
		}
	}
	switch {
	case counts[gone] > 0:
		if err := c.clear(ctx, last.err); err != nil {
			return err
		}
		return c.fail(ctx, last)
	case counts[delivered] > 0 && (c.failures > 0 || c.problem != ""):
		if c.failures > 0 {
			c.lines = append(c.lines, fmt.Sprintf("webhook %s answers again, after %v", c.target.ID, c.now.Sub(time.UnixMicro(c.since)).Round(time.Second)))
		}
		c.failures = 0
		return c.exec(ctx, "UPDATE webhook SET failures = 0, since = 0, next = 0, error = '' WHERE place = ? AND id = ?", c.target.Place, c.target.ID)
	case news && counts[delivered] == 0:
		return c.fail(ctx, last)
	case unset != "" && c.failures == 0:
		return c.exec(ctx, "UPDATE webhook SET error = ? WHERE place = ? AND id = ?", unset, c.target.Place, c.target.ID)
	case len(results) > 0 && c.failures > 0: // the probe has shown nothing: there may be another at once
		c.next = micros(c.now)
		return c.exec(ctx, "UPDATE webhook SET next = ? WHERE place = ? AND id = ?", c.next, c.target.Place, c.target.ID)
	}
	return nil
}

// settleOne notes what became of one message. It may have been set aside with its
// file since: then the number is another's.
func (c *claim) settleOne(ctx context.Context, r *result) error {
	tries := r.tries + 1
	switch {
	case r.fate == delivered:
		return c.exec(ctx, "DELETE FROM message WHERE seq = ? AND id = ?", r.seq, r.ID)
	case r.fate == untried:
		return c.exec(ctx, "UPDATE message SET owner = '', until = 0 WHERE seq = ? AND id = ? AND owner = ?", r.seq, r.ID, c.owner)
	case r.fate == failed && (c.target.Tries > 0 && tries >= c.target.Tries || c.now.Sub(r.made) >= keepTime):
		c.lines = append(c.lines, fmt.Sprintf("webhook %s: given up after %d tries: %s of %s was not delivered: %v",
			c.target.ID, tries, r.Event, r.made.Format(time.DateTime), r.err))
		if err := c.exec(ctx, "UPDATE webhook SET dropped = dropped + 1 WHERE place = ? AND id = ?", c.target.Place, c.target.ID); err != nil {
			return err
		}
		return c.exec(ctx, "DELETE FROM message WHERE seq = ? AND id = ?", r.seq, r.ID)
	}
	again := 1 // it was not refused: it waits for the webhook alone, behind the others
	if r.refused {
		again = tries
	}
	return c.exec(ctx, "UPDATE message SET owner = '', until = 0, tries = ?, next = ? WHERE seq = ? AND id = ?",
		tries, micros(c.now.Add(pause(again, 0))), r.seq, r.ID)
}

// fail notes that the webhook does not answer.
func (c *claim) fail(ctx context.Context, last *result) error {
	c.failures++
	wait := pause(c.failures, last.after)
	c.next = micros(c.now.Add(wait))
	if c.failures == 1 {
		c.since = micros(c.now)
		c.lines = append(c.lines, fmt.Sprintf("webhook %s: %v; its messages are kept, and tried again for three days", c.target.ID, last.err))
	}
	return c.exec(ctx, "UPDATE webhook SET failures = ?, since = ?, next = ?, error = ? WHERE place = ? AND id = ?",
		c.failures, c.since, c.next, hook.LogLine(last.err.Error()), c.target.Place, c.target.ID)
}

// clear drops all that waits for a webhook that never wants to hear anything again.
func (c *claim) clear(ctx context.Context, why error) error {
	done, err := c.tx.ExecContext(ctx, "DELETE FROM message WHERE place = ? AND webhook = ?", c.target.Place, c.target.ID)
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err != nil {
		return err
	}
	c.lines = append(c.lines, fmt.Sprintf("webhook %s answers 410 Gone, so %d messages were dropped; take it out of the configuration: %v", c.target.ID, n, why))
	return c.exec(ctx, "UPDATE webhook SET dropped = dropped + ? WHERE place = ? AND id = ?", n, c.target.Place, c.target.ID)
}

func (c *claim) exec(ctx context.Context, query string, args ...any) error {
	_, err := c.tx.ExecContext(ctx, query, args...)
	return err
}
