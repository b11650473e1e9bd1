package api

import (
	"context"
	"sync"

	"github.com/hookway/hookway/hook"
)

// Closing is a handler that has something open.
type Closing interface {
	hook.Handler
	Close() error
}

// target is the handler of a hook that is registered with a target. It is open
// from its registration until it is out of the engine and it is not asked any more.
// An event that had begun by then may ask it later yet: for that call it is opened
// once more.
type target struct {
	open func() (Closing, error)

	mu      sync.Mutex
	inner   Closing // nil once it is idle and retired
	calls   int
	retired bool
	ending  *sync.WaitGroup // of all targets that are being closed
}

// Handle asks the handler.
func (t *target) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	inner, err := t.take()
	if err != nil {
		return hook.Decision{}, err
	}
	defer t.give()
	return inner.Handle(ctx, ev)
}

func (t *target) take() (Closing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner == nil {
		inner, err := t.open()
		if err != nil {
			return nil, err
		}
		t.inner = inner
	}
	t.calls++
	return t.inner, nil
}

func (t *target) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls--
	t.endIdle()
}

// retire closes the handler as soon as it is not asked. It does not block.
func (t *target) retire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retired = true
	t.endIdle()
}

// endIdle closes a retired handler that is not in use. The lock is held.
func (t *target) endIdle() {
	if inner := t.inner; t.retired && t.calls == 0 && inner != nil {
		t.inner = nil
		t.ending.Go(func() { _ = inner.Close() }) // nothing waits for it
	}
}
