package config

import (
	"context"
	"errors"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
)

// closing is a handler that has to be closed.
type closing interface {
	hook.Handler
	Close() error
}

// lease holds such a handler for as long as anybody may call it. A firing
// that has begun runs the hooks that there were when it began, so a hook that
// was taken out may still be called: it is closed after the calls under way, and
// a call that comes later yet opens it once more, for that call.
type lease struct {
	open func() (closing, error)

	mu      sync.Mutex
	inner   closing // nil once a retired lease is idle
	calls   int
	ending  int // handlers that are being closed
	retired bool
	closed  bool
	under   sync.WaitGroup // closing
	err     error          // of closing
}

func newLease(open func() (closing, error)) (*lease, error) {
	inner, err := open()
	if err != nil {
		return nil, err
	}
	return &lease{open: open, inner: inner}, nil
}

// Handle asks the handler.
func (l *lease) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	inner, err := l.take()
	if err != nil {
		return hook.Decision{}, err
	}
	defer l.give()
	return inner.Handle(ctx, ev)
}

func (l *lease) take() (closing, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, command.ErrClosed
	}
	if l.inner == nil {
		inner, err := l.open()
		if err != nil {
			return nil, err
		}
		l.inner = inner
	}
	l.calls++
	return l.inner, nil
}

func (l *lease) give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls--
	l.endIdle()
}

// retire closes the handler as soon as no call is under way.
func (l *lease) retire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retired = true
	l.endIdle()
}

// endIdle closes a retired handler that nobody uses. The lock is held.
func (l *lease) endIdle() {
	if l.retired && l.calls == 0 {
		l.end()
	}
}

// end closes the handler in the background. The lock is held.
func (l *lease) end() {
	inner := l.inner
	if inner == nil {
		return
	}
	l.inner = nil
	l.ending++
	l.under.Go(func() {
		err := inner.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ending--
		l.err = errors.Join(l.err, err)
	})
}

// ended reports whether a retired lease has nothing left to close.
func (l *lease) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner == nil && l.ending == 0
}

// Close ends everything that the handler started, and waits for that. Later
// calls fail.
func (l *lease) Close() error {
	l.mu.Lock()
	l.closed = true
	l.end()
	l.mu.Unlock()
	l.under.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
