package hook

import (
	"context"
	"sync/atomic"
	"time"
)

// frameKey finds the innermost call of a handler in a context.
type frameKey struct{}

// callContext is the context of one call of a handler. It has a deadline, but
// makes the timer for it only when somebody asks for Done: most handlers are
// done long before they would, and a timer costs more than they do.
type callContext struct {
	context.Context               // the caller's
	info            *EventInfo    // what is being handled
	start           time.Duration // of the call, since processStart
	limit           time.Duration // zero is none
	state           atomic.Pointer[armed]
}

// armed is a context with its timer, once it was asked for.
type armed struct {
	context.Context
	cancel context.CancelFunc
}

// over is the state of a call that ended before anybody asked for Done.
var over = func() *armed {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &armed{ctx, cancel}
}()

// processStart is what durations inside the engine count from: reading only
// the monotonic clock costs half as much as reading both.
var processStart = time.Now()

// Deadline is the earlier one of the caller's and the hook's own.
func (c *callContext) Deadline() (time.Time, bool) {
	if own, ok := c.own(); ok {
		return own, true
	}
	return c.Context.Deadline()
}

// own is the hook's deadline, if it is before the caller's. At the same instant
// it is the caller who gives up, not the hook that fails.
func (c *callContext) own() (time.Time, bool) {
	if c.limit == 0 {
		return time.Time{}, false
	}
	own := processStart.Add(c.start + c.limit)
	outer, ok := c.Context.Deadline()
	return own, !ok || own.Before(outer)
}

// Done is closed at the deadline, when the caller gives up, and after the call.
func (c *callContext) Done() <-chan struct{} {
	if a := c.state.Load(); a != nil {
		return a.Done()
	}
	a := new(armed)
	if own, ok := c.own(); ok {
		a.Context, a.cancel = context.WithDeadline(c.Context, own)
	} else {
		a.Context, a.cancel = context.WithCancel(c.Context)
	}
	if !c.state.CompareAndSwap(nil, a) {
		a.cancel() // somebody was faster, or the call is over
	}
	return c.state.Load().Done()
}

// Err says why Done is closed, or would be.
func (c *callContext) Err() error {
	if a := c.state.Load(); a != nil {
		return a.Err()
	}
	if err := c.Context.Err(); err != nil {
		return err
	}
	if c.limit > 0 && time.Since(processStart)-c.start >= c.limit {
		return context.DeadlineExceeded
	}
	return nil
}

// Value returns the caller's values, and itself to nested firings.
func (c *callContext) Value(key any) any {
	if key == (frameKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// finish ends the context after the call.
func (c *callContext) finish() {
	if !c.state.CompareAndSwap(nil, over) {
		c.state.Load().cancel()
	}
}
