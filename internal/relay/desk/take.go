package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/post"
)

// Request is what a program asks for.
type Request struct {
	Agent string        // whose messages
	Join  bool          // a name that nobody has is made known
	CWD   string        // where the program says that it is
	Most  int           // messages
	Wait  time.Duration // for the first one
	Hooks func(session string) post.Hooks

	// Idle, if it is set, is called with each wait, which is no work.
	Idle func(wait func() error) error
}

func (r *Request) idle(wait func() error) error {
	if r.Idle == nil {
		return wait()
	}
	return r.Idle(wait)
}

// NewNameError says that nobody has a name, and how it may be had.
type NewNameError struct{ *relay.UnknownError }

func (e *NewNameError) Error() string {
	return e.UnknownError.Error() + `; with "join": true it is a new one`
}

func (e *NewNameError) Unwrap() error { return e.UnknownError }

// Take gives what waits for an agent, and waits for it if there is nothing. A batch
// without letters needs nothing more; of any other one of Lease, Done, Unsent and
// Abandon is called. An error is a [NewNameError], a [UsedError], [ErrClosed], [ErrBusy]
// or another one, and nothing was taken.
func (d *Desk) Take(ctx context.Context, r Request) (*Batch, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.ctx, func() { cancel(ErrClosed) })()
	b, err := d.take(ctx, r)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return b, err
}

func (d *Desk) take(ctx context.Context, r Request) (*Batch, error) {
	name, err := d.name(ctx, r)
	if err != nil {
		return nil, err
	}
	l, err := d.line(name)
	if err != nil {
		return nil, err
	}
	seat, err := d.sit(ctx, l, r.CWD)
	if err != nil {
		d.stand(l, nil, true)
		return nil, err
	}
	b := &Batch{desk: d, line: l, seat: seat}
	if err = b.fill(ctx, r); len(b.Letters) == 0 {
		d.stand(l, seat, err == nil || errors.Is(err, context.Canceled))
		return b, err
	}
	return b, nil // what went wrong after the first will be seen again
}

// name is a name as it is kept.
func (d *Desk) name(ctx context.Context, r Request) (string, error) {
	known, err := d.store.Known(ctx, r.Agent)
	var unknown *relay.UnknownError
	if !errors.As(err, &unknown) {
		return known.Name, err
	}
	if !r.Join {
		return "", &NewNameError{unknown}
	}
	if err := relay.Reserved(r.Agent); err != nil {
		return "", err
	}
	if err := d.store.Register(ctx, r.Agent); err != nil {
		return "", err
	}
	known, err = d.store.Known(ctx, r.Agent)
	return known.Name, err
}

// fill takes what there is, and waits if there is nothing.
func (b *Batch) fill(ctx context.Context, r Request) error {
	patience, cancel := context.WithTimeout(ctx, r.Wait)
	defer cancel()
	hooks := r.Hooks(b.line.session)
	for {
		if err := b.leads(ctx); err != nil {
			return err
		}
		err := b.collect(ctx, hooks, r.Most)
		if len(b.Letters) > 0 || err != nil && !errors.Is(err, relay.ErrTaken) { // by another process: there may be more
			return err
		}
		if err := r.idle(func() error { return b.seat.Wait(patience) }); err != nil {
			if patience.Err() != nil && ctx.Err() == nil {
				return nil // there was nothing in all that time
			}
			return err
		}
	}
}

// leads says why nothing would ever come. When another seat of the session has just
// ended, nobody has the inbox for a moment: then it is waited for.
func (b *Batch) leads(ctx context.Context) error {
	leads, err := b.seat.Leads(ctx)
	if leads || err != nil {
		return err
	}
	if b.desk.ctx.Err() != nil {
		return ErrClosed
	}
	who, err := b.desk.store.Known(ctx, b.line.name)
	if err != nil || who.Session == "" || who.Session == b.line.session {
		return err
	}
	return &UsedError{Name: b.line.name, Session: who.Session, Kind: who.Kind}
}

// collect claims messages, as many as there is room for in an answer. Of one name one
// request does so at a time.
func (b *Batch) collect(ctx context.Context, hooks post.Hooks, most int) error {
	select {
	case b.line.turn <- struct{}{}:
		defer func() { <-b.line.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	seat := &asked{Seat: b.seat}
	for room := mostTexts; len(b.Letters) < most && room > 0; {
		next, err := post.Collect(ctx, seat, hooks, 1, How)
		b.Letters = append(b.Letters, next...)
		if err != nil || !seat.some {
			return err
		}
		for _, l := range next {
			room -= len(l.Text())
		}
	}
	return nil
}

// Waiting is how many messages wait beside those that a batch has, or are not confirmed.
func (d *Desk) Waiting(ctx context.Context, b *Batch) (int, error) {
	known, err := d.store.Known(ctx, b.line.name)
	if err != nil {
		return 0, fmt.Errorf("what waits beside: %w", err)
	}
	return max(known.Waiting-len(b.Letters), 0), nil
}
