package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/logline"
)

// Outbox is a backend that is elsewhere, with a file on this machine that keeps
// what cannot be sent to it now. That is sent before the next call that reaches
// the backend, in the order in which it was saved.
type Outbox struct {
	there Backend
	path  string

	// Log gets what waits, and what of it can never be sent. Nil drops it.
	Log *slog.Logger

	turn chan struct{} // has room for who sends

	mu    sync.Mutex
	waits *Store    // nil until something had to wait, or might
	next  time.Time // before which a backend that failed is not tried again
}

// retryAfter is how long a backend that could not be reached is left alone.
const retryAfter = 5 * time.Second

// mostWaiting bounds what waits: more is refused, and nothing dropped.
const mostWaiting = 10_000

// NewOutbox puts a file before a backend.
func NewOutbox(there Backend, path string) *Outbox {
	return &Outbox{there: there, path: path, turn: make(chan struct{}, 1)}
}

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
	saved, err := o.deliver(ctx, m)
	if !errors.Is(err, ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
		return saved, err
	}
	return o.keep(context.WithoutCancel(ctx), m, err)
}

// deliver sends a memory, after those that wait.
func (o *Outbox) deliver(ctx context.Context, m Memory) (saved Memory, err error) {
	if err := o.take(ctx); err != nil {
		return m, err
	}
	defer o.give()
	if err := o.flush(ctx); errors.Is(err, ErrUnavailable) {
		return m, err
	} else if err != nil {
		return m, fmt.Errorf("%w: %w", ErrUnavailable, err) // whatever it is: this one can wait, too
	}
	saved, err = o.there.Save(ctx, m)
	if errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		o.later()
	}
	return saved, err
}

// take waits until no other call sends, which may take as long as a slow backend, but
// no longer than the caller does.
func (o *Outbox) take(ctx context.Context) error {
	select {
	case o.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: another call is not answered yet: %w", ErrUnavailable, ctx.Err())
	}
}

func (o *Outbox) give() { <-o.turn }

// later notes that the backend takes nothing now.
func (o *Outbox) later() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next = time.Now().Add(retryAfter)
}

// pending gives the file if something may wait in it, maybe of another process; and
// whether the backend is to be left alone.
func (o *Outbox) pending(ctx context.Context) (waits *Store, alone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waits == nil && fileThere(o.path) {
		if err := o.open(ctx); err != nil {
			o.log().Warn(err.Error())
		}
	}
	alone = time.Now().Before(o.next)
	if o.waits == nil || alone {
		return o.waits, alone
	}
	if n, err := o.waits.count(ctx); err == nil && n == 0 {
		return nil, false
	}
	return o.waits, false
}

// keep puts a memory into the file.
func (o *Outbox) keep(ctx context.Context, m Memory, why error) (Memory, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
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
	o.log().Warn("a memory is kept on this machine until it can be sent", logline.Err, why)
	kept.Waits = true
	return kept, nil
}

// flush sends what waits. The error says that the backend takes nothing now.
func (o *Outbox) flush(ctx context.Context) error {
	waits, alone := o.pending(ctx)
	if waits == nil {
		return nil
	}
	if alone {
		return fmt.Errorf("%w; it is asked again in a few seconds", ErrUnavailable)
	}
	unlock, err := o.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for {
		oldest, err := waits.oldest(ctx, 64) // anew: another process may have sent what waited before
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

// send sends one that waits. What the backend refuses for good is logged, and put
// aside: it must not keep the others.
func (o *Outbox) send(ctx context.Context, m Memory) error {
	_, err := o.there.Save(ctx, m)
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		o.later()
		return err
	case err != nil:
		return o.refuse(ctx, m, err)
	}
	return o.sent(ctx, m)
}

// sent takes a memory out of the file, if it was not forgotten meanwhile.
func (o *Outbox) sent(ctx context.Context, m Memory) error {
	if err := o.waits.Forget(ctx, m.ID, View{All: true}); !errors.Is(err, ErrUnknown) {
		return err
	}
	return nil
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

func (o *Outbox) log() *slog.Logger { return logline.Or(o.Log) }

// reach sends what waits, and completes the error of a call that failed.
func (o *Outbox) reach(ctx context.Context, call func() error) error {
	var err error
	waits, _ := o.pending(ctx)
	if waits != nil {
		if err = o.take(ctx); err == nil {
			err = o.flush(ctx)
			o.give()
		}
	}
	if err == nil {
		err = call()
	}
	if err == nil || waits == nil || !errors.Is(err, ErrUnavailable) {
		return err
	}
	if n, counted := waits.count(context.WithoutCancel(ctx)); counted == nil && n > 0 {
		wait := "wait"
		if n == 1 {
			wait = "waits"
		}
		return fmt.Errorf("%w; %d saved meanwhile %s on this machine", err, n, wait)
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
	if err := o.take(ctx); err != nil {
		return err
	}
	sent := o.flush(ctx)
	waits, _ := o.pending(ctx)
	if waits != nil && !errors.Is(sent, errSending) {
		if err := waits.Forget(ctx, id, v); !errors.Is(err, ErrUnknown) {
			o.give()
			return err
		}
	}
	o.give()
	if sent != nil {
		return sent
	}
	return o.there.Forget(ctx, id, v)
}

// Import saves memories there; there is no outbox for so many.
func (o *Outbox) Import(ctx context.Context, from io.Reader, otherwise Memory) (Imported, error) {
	return Import(ctx, o.there, from, otherwise)
}
