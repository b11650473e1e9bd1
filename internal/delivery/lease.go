package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// Lease is what one request was given.
type Lease struct {
	Items []Item

	leases   *Leases
	line     *line
	consumer *relay.Consumer
	inbox    Inbox // at the consumer

	lease *time.Timer
	span  time.Duration

	mu   sync.Mutex      // of what follows, and of what is done at the consumer
	left map[string]Item // what is not confirmed; nil when all is over
}

// Begin begins the time in which the items are to be confirmed. It is called before
// the answer is written: the confirmation may be faster than the one who answers.
func (b *Lease) Begin(span time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.span = map[string]Item{}, span
	d := b.leases
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range b.Items {
		b.left[l.ID] = l
		if !d.shut {
			b.line.out[l.ID] = b
		}
	}
	b.lease = time.AfterFunc(span, func() { d.later(b.Abandon) })
	if d.shut {
		b.lease.Stop()
	}
}

// Done says of items without a lease that all was given to the program.
func (b *Lease) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sparing)
	defer cancel()
	err := b.inbox.Shown(ctx, b.Items)
	if err == nil {
		err = b.inbox.Prove(ctx)
	}
	b.leases.giveBack(b.line, b.consumer, err == nil)
	return err
}

// Unsent says that the program did not get the items: they wait as before.
func (b *Lease) Unsent(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sparing)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over() {
		return
	}
	whole := b.inbox.Return(ctx, b.Items) == nil
	b.leases.giveBack(b.line, b.consumer, whole) // what may have been given before stays unconfirmed
}

// Abandon ends a lease of which it is not known what the program has got: what was not
// confirmed is given out again, marked as what may be a repeat.
func (b *Lease) Abandon() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over() {
		b.leases.giveBack(b.line, b.consumer, false)
	}
}

// over takes a lease away from those that wait for confirmation. It reports false if
// that was done before. The caller holds mu.
func (b *Lease) over() bool {
	if b.lease == nil {
		return true
	}
	if b.left == nil {
		return false
	}
	b.lease.Stop()
	b.leases.mu.Lock()
	for id := range b.left {
		delete(b.line.out, id)
	}
	b.leases.mu.Unlock()
	b.left = nil
	return true
}

// confirm notes that the program has these of the items, as far as the lease is not
// over, and tells which. It begins the lease of the others anew.
func (b *Lease) confirm(ctx context.Context, ids []string, done map[string]bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == nil {
		return nil
	}
	for _, id := range ids {
		l, ok := b.left[id]
		if !ok {
			continue
		}
		if err := b.consumer.Done(ctx, id, l.Repeat); err != nil && !relay.Refused(err) {
			return err
		} else if err == nil {
			done[id] = true
		} // else it was forgotten with its agent
		delete(b.left, id)
		b.leases.mu.Lock()
		delete(b.line.out, id)
		b.leases.mu.Unlock()
	}
	err := b.inbox.Prove(ctx)
	if len(b.left) == 0 {
		b.over()
		b.leases.giveBack(b.line, b.consumer, true)
	} else {
		b.lease.Reset(b.span)
	}
	return err
}

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
func (d *Leases) Confirm(ctx context.Context, agent string, ids []string) (c Confirmed, err error) {
	c.Done = []string{}
	known, err := d.store.Known(ctx, agent)
	if err != nil {
		return c, err
	}
	l, err := d.line(known.Name)
	if err != nil {
		return c, err
	}
	before := late{leases: d, line: l}
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
func (d *Leases) confirmGiven(ctx context.Context, l *line, ids []string) (noted map[string]bool, err error) {
	full := map[string]string{} // by an id as it was given
	of := map[*Lease][]string{}
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

// late confirms what is not given out here any more: by a daemon before, or by this one
// until the lease was over.
type late struct {
	leases   *Leases
	line     *line
	consumer *relay.Consumer // nil: it was not needed yet
}

func (l *late) confirm(ctx context.Context, id string) error {
	m, _, err := l.leases.store.Receipts(ctx, id)
	if err != nil {
		return err
	}
	if l.consumer == nil {
		if l.consumer, err = l.leases.join(ctx, l.line, ""); err != nil {
			return err
		}
	}
	return l.consumer.Confirm(ctx, m.ID, HTTP)
}

func (l *late) seen(ctx context.Context) error {
	if l.consumer == nil {
		return nil
	}
	return l.consumer.Seen(ctx)
}

func (l *late) end() { l.leases.giveBack(l.line, l.consumer, true) }
