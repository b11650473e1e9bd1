package hook

import (
	"context"
	"sync"
	"time"
)

// frameKey finds the innermost call of a handler in a context.
type frameKey struct{}

// callContext is the context of one call of a handler. It has a deadline, but
// makes the timer for it only when somebody asks for Done: most handlers are
// done long before they would, and a timer costs more than they do.
type callContext struct {
	context.Context // the caller's
	info            *EventInfo
	began           time.Time     // of the firing
	offset          time.Duration // of the call, from began
	limit           time.Duration // from the call's start; zero is none

	mu     sync.Mutex
	over   bool
	real   context.Context
	cancel context.CancelFunc
}

// Deadline is the earlier one of the caller's and the hook's own.
func (c *callContext) Deadline() (time.Time, bool) {
	outer, ok := c.Context.Deadline()
	if c.limit == 0 {
		return outer, ok
	}
	own := c.began.Add(c.offset + c.limit)
	if ok && outer.Before(own) {
		return outer, true
	}
	return own, true
}

// Done is closed at the deadline, when the caller gives up, and after the call.
func (c *callContext) Done() <-chan struct{} { return c.arm().Done() }

// Err says why Done is closed, or would be.
func (c *callContext) Err() error {
	c.mu.Lock()
	real, over := c.real, c.over
	c.mu.Unlock()
	switch {
	case real != nil:
		return real.Err()
	case c.Context.Err() != nil:
		return c.Context.Err()
	case over:
		return context.Canceled
	case c.limit > 0 && time.Since(c.began)-c.offset >= c.limit:
		return context.DeadlineExceeded
	}
	return nil
}

// Value gives the caller's values, and itself to nested firings.
func (c *callContext) Value(key any) any {
	if key == (frameKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// arm makes the real context, with its timer, once.
func (c *callContext) arm() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real == nil {
		if c.limit > 0 {
			c.real, c.cancel = context.WithDeadline(c.Context, c.began.Add(c.offset+c.limit))
		} else {
			c.real, c.cancel = context.WithCancel(c.Context)
		}
		if c.over {
			c.cancel()
		}
	}
	return c.real
}

// finish ends the context after the call.
func (c *callContext) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.cancel != nil {
		c.cancel()
	}
}
