package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Outbox is a backend that is elsewhere, with a file on this machine that keeps
// what cannot be sent to it now. That is sent before the next call that reaches
// the backend, in the order in which it was saved.
type Outbox struct {
	there Backend
	path  string

	// Log is told what waits, and what of it can never be sent. Nil drops it.
	Log func(line string)

	mu     sync.Mutex
	waits  *Store    // nil until something had to wait, or might
	looked bool      // whether a file of an earlier process is there
	next   time.Time // before which a backend that failed is not tried again
}

// retryAfter is how long a backend that could not be reached is left alone.
const retryAfter = 5 * time.Second

// mostWaiting bounds what waits: more is refused, and nothing dropped.
const mostWaiting = 10_000

// NewOutbox puts a file before a backend.
func NewOutbox(there Backend, path string) *Outbox { return &Outbox{there: there, path: path} }

var _ Backend = (*Outbox)(nil)

// Close closes the file and the backend.
func (o *Outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.there.Close()
	if o.waits != nil {
		err = errors.Join(err, o.waits.Close())
		o.waits = nil
	}
	return err
}

// Save keeps a memory there, or here until it can be sent: then it has an id by
// which it can be forgotten, wherever it is. An error says that it is kept nowhere.
func (o *Outbox) Save(ctx context.Context, m Memory) (Memory, error) {
	if err := m.Check(); err != nil {
		return Memory{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.flush(ctx)
	if err == nil {
		var saved Memory
		if saved, err = o.there.Save(ctx, m); !errors.Is(err, ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			return saved, err
		}
		o.next = time.Now().Add(retryAfter)
	}
	return o.keep(context.WithoutCancel(ctx), m, err)
}

// keep puts a memory into the file.
func (o *Outbox) keep(ctx context.Context, m Memory, why error) (Memory, error) {
	if err := o.open(ctx); err != nil {
		return Memory{}, errors.Join(why, err)
	}
	if n, err := o.waits.count(ctx); err != nil || n >= mostWaiting {
		return Memory{}, errors.Join(why, err, fmt.Errorf("%d memories wait already to be sent; no more are taken", n))
	}
	kept, err := o.waits.Save(ctx, m)
	if err != nil {
		return Memory{}, errors.Join(why, err)
	}
	o.log("a memory is kept on this machine until it can be sent: " + why.Error())
	kept.Waits = true
	return kept, nil
}

// flush sends what waits. The error says that the backend takes nothing now.
func (o *Outbox) flush(ctx context.Context) error {
	if !o.looked {
		if !fileThere(o.path) {
			o.looked = true
			return nil
		}
		if err := o.open(ctx); err != nil {
			o.log(err.Error())
			return nil
		}
		o.looked = true
	}
	if o.waits == nil {
		return nil
	}
	if time.Now().Before(o.next) {
		return fmt.Errorf("%w; it is asked again in a few seconds", ErrUnavailable)
	}
	for {
		oldest, err := o.waits.oldest(ctx, 64)
		if err != nil || len(oldest) == 0 {
			return err
		}
		for _, m := range oldest {
			if err := o.send(ctx, m); err != nil {
				return err
			}
		}
	}
}

// send sends one that waits. What the backend refuses for good is told, and put
// aside: it must not keep the others.
func (o *Outbox) send(ctx context.Context, m Memory) error {
	_, err := o.there.Save(ctx, m)
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		o.next = time.Now().Add(retryAfter)
		return err
	case err != nil:
		return o.refuse(ctx, m, err)
	}
	return o.waits.Forget(ctx, m.ID, View{All: true})
}

func (o *Outbox) open(ctx context.Context) error {
	if o.waits != nil {
		return nil
	}
	s, err := Open(ctx, o.path)
	if err == nil {
		o.waits = s
	}
	return err
}

func (o *Outbox) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

// reach sends what waits, and completes the error of a call that failed.
func (o *Outbox) reach(ctx context.Context, call func() error) error {
	o.mu.Lock()
	err := o.flush(ctx)
	waits := o.waits
	o.mu.Unlock()
	if err == nil {
		err = call()
	}
	if err == nil || waits == nil || !errors.Is(err, ErrUnavailable) {
		return err
	}
	if n, counted := waits.count(context.WithoutCancel(ctx)); counted == nil && n > 0 {
		return fmt.Errorf("%w; %d saved meanwhile wait on this machine", err, n)
	}
	return err
}

// Search asks the backend.
func (o *Outbox) Search(ctx context.Context, query string, k int, v View) (found []Memory, err error) {
	err = o.reach(ctx, func() error { found, err = o.there.Search(ctx, query, k, v); return err })
	return found, err
}

// List asks the backend.
func (o *Outbox) List(ctx context.Context, n int, v View) (found []Memory, err error) {
	err = o.reach(ctx, func() error { found, err = o.there.List(ctx, n, v); return err })
	return found, err
}

// Forget deletes what waits, or what the backend has.
func (o *Outbox) Forget(ctx context.Context, id string, v View) error {
	o.mu.Lock()
	sent := o.flush(ctx)
	if o.waits != nil {
		if err := o.waits.Forget(ctx, id, v); !errors.Is(err, ErrUnknown) {
			o.mu.Unlock()
			return err
		}
	}
	o.mu.Unlock()
	if sent != nil {
		return sent
	}
	return o.there.Forget(ctx, id, v)
}

// Import saves memories there; there is no outbox for so many.
func (o *Outbox) Import(ctx context.Context, from io.Reader, otherwise Memory) (Imported, error) {
	return Import(ctx, o.there, from, otherwise)
}
