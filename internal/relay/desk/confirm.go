package desk

import (
	"context"
	"errors"

	"github.com/hookway/hookway/internal/relay"
)

// Confirmed is what became of the ids that a program has confirmed.
type Confirmed struct {
	Done []string `json:"done"`           // as they were given
	Left []Left   `json:"left,omitempty"` // those of which nothing could be noted
}

// Left is a message that cannot be confirmed.
type Left struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Confirm notes that a program has got messages of an agent, by their ids or the short
// forms of these. To confirm one again changes nothing. The error is a failure of ours,
// or that there is no such agent; what was noted before it stays so.
func (d *Desk) Confirm(ctx context.Context, agent string, ids []string) (c Confirmed, err error) {
	c.Done = []string{}
	known, err := d.store.Known(ctx, agent)
	if err != nil {
		return c, err
	}
	l, err := d.line(known.Name)
	if err != nil {
		return c, err
	}
	before := late{desk: d, line: l}
	defer before.end()
	noted, err := d.confirmGiven(ctx, l, ids)
	if err != nil {
		return c, err
	}
	for _, id := range ids {
		if noted[id] {
			c.Done = append(c.Done, id)
			continue
		}
		switch err := before.confirm(ctx, id); {
		case err == nil:
			c.Done = append(c.Done, id)
		case errors.Is(err, relay.ErrTaken):
			c.Left = append(c.Left, Left{id, "it was not handed out over HTTP, or somebody else has it meanwhile"})
		case relay.Refused(err):
			c.Left = append(c.Left, Left{id, err.Error()})
		default:
			return c, err
		}
	}
	return c, before.seen(ctx)
}

// confirmGiven confirms what is given out here, and tells which of the ids it was.
func (d *Desk) confirmGiven(ctx context.Context, l *line, ids []string) (noted map[string]bool, err error) {
	full := map[string]string{} // by an id as it was given
	of := map[*Batch][]string{}
	d.mu.Lock()
	for _, id := range ids {
		for whole, b := range l.out {
			if id == whole || id == relay.Short(whole) {
				full[id] = whole
				of[b] = append(of[b], whole)
			}
		}
	}
	d.mu.Unlock()
	done := map[string]bool{}
	for b, wholes := range of {
		err = errors.Join(err, b.confirm(ctx, wholes, done))
	}
	noted = map[string]bool{}
	for id, whole := range full {
		noted[id] = done[whole]
	}
	return noted, err
}

// late confirms what is not given out here any more: by a desk before, or by this one
// until the lease was over.
type late struct {
	desk *Desk
	line *line
	seat *relay.Seat // nil: it was not needed yet
}

func (l *late) confirm(ctx context.Context, id string) error {
	m, _, err := l.desk.store.Receipts(ctx, id)
	if err != nil {
		return err
	}
	if l.seat == nil {
		if l.seat, err = l.desk.sit(ctx, l.line, ""); err != nil {
			return err
		}
	}
	return l.seat.Confirm(ctx, m.ID, How)
}

func (l *late) seen(ctx context.Context) error {
	if l.seat == nil {
		return nil
	}
	return l.seat.Seen(ctx)
}

func (l *late) end() { l.desk.stand(l.line, l.seat, true) }
