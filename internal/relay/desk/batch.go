package desk

import (
	"context"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/post"
)

// Batch is what one request was given.
type Batch struct {
	Letters []post.Letter

	desk *Desk
	line *line
	seat *relay.Seat

	lease *time.Timer
	span  time.Duration

	mu   sync.Mutex             // of what follows, and of what is done at the seat
	left map[string]post.Letter // what is not confirmed; nil when all is over
}

// Lease begins the time in which the letters are to be confirmed. It is called before
// the answer is written: the confirmation may be faster than the one who answers.
func (b *Batch) Lease(span time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.span = map[string]post.Letter{}, span
	d := b.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range b.Letters {
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

// Done says of a batch without a lease that all was given to the program.
func (b *Batch) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sparing)
	defer cancel()
	err := post.Done(ctx, b.seat, b.Letters)
	if err == nil {
		err = b.seat.Seen(ctx)
	}
	b.desk.stand(b.line, b.seat, err == nil)
	return err
}

// Unsent says that the program did not get the letters: they wait as before.
func (b *Batch) Unsent(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sparing)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over() {
		return
	}
	whole := true
	for _, l := range b.Letters {
		// What may have been given to another one before stays in doubt.
		whole = !l.Repeat && b.seat.Release(ctx, l.ID) == nil && whole
	}
	b.desk.stand(b.line, b.seat, whole)
}

// Abandon ends a batch of which it is not known what the program has got: what was not
// confirmed is given out again, marked as what may be a repeat.
func (b *Batch) Abandon() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over() {
		b.desk.stand(b.line, b.seat, false)
	}
}

// over takes a batch away from those that wait for confirmation. It reports false if
// that was done before. The caller holds mu.
func (b *Batch) over() bool {
	if b.lease == nil {
		return true
	}
	if b.left == nil {
		return false
	}
	b.lease.Stop()
	b.desk.mu.Lock()
	for id := range b.left {
		delete(b.line.out, id)
	}
	b.desk.mu.Unlock()
	b.left = nil
	return true
}

// confirm notes that the program has these of the letters, as far as the lease is not
// over, and tells which. It begins the lease of the others anew.
func (b *Batch) confirm(ctx context.Context, ids []string, done map[string]bool) error {
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
		if err := b.seat.Done(ctx, id, l.Repeat); err != nil && !relay.Refused(err) {
			return err
		} else if err == nil {
			done[id] = true
		} // else it was forgotten with its agent
		delete(b.left, id)
		b.desk.mu.Lock()
		delete(b.line.out, id)
		b.desk.mu.Unlock()
	}
	err := b.seat.Seen(ctx)
	if len(b.left) == 0 {
		b.over()
		b.desk.stand(b.line, b.seat, true)
	} else {
		b.lease.Reset(b.span)
	}
	return err
}
