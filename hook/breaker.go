package hook

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// A circuit opens after breakerFailures calls in a row that failed and cost time.
// Then the failure policy answers at once, and one call in breakerPause is let
// through to try the hook.
const (
	breakerFailures = 5
	breakerPause    = 2 * time.Second
)

// ErrCircuitOpen is the cause when a hook was not asked, because the last calls of
// it only cost time. The hook's failure policy decides.
var ErrCircuitOpen = fmt.Errorf("it was not asked: %d calls in a row ran out of time, or found no server or process; one call in %v is let through", breakerFailures, breakerPause)

// Unreachable marks a handler's error: there was nothing to ask, as when a server
// is down or a program cannot be started. Such calls cost time for nothing, so five
// in a row open the hook's circuit. Any other error means that the hook was asked,
// and it is asked again at the next event. Unreachable(nil) is nil.
//
//	conn, err := dial(ctx)
//	if err != nil {
//		return hook.Decision{}, hook.Unreachable(err)
//	}
func Unreachable(err error) error {
	if err == nil {
		return nil
	}
	return &unreachableError{err}
}

// unreachableError is an error that Unreachable has marked.
type unreachableError struct{ error }

// Unwrap returns the error itself.
func (e *unreachableError) Unwrap() error { return e.error }

// wasted reports whether a failed call cost time and gave nothing.
func wasted(err error) bool {
	var unreachable *unreachableError
	return errors.Is(err, ErrTimeout) || errors.As(err, &unreachable)
}

// breaker is one hook's circuit. It has no lock: calls that race may let one more
// trial through, which does no harm.
type breaker struct {
	failures atomic.Int32
	until    atomic.Int64 // Unix nanoseconds
}

// ready reports whether the hook may be run, and whether that call is the one
// that tries an open circuit.
func (b *breaker) ready() (ready, trial bool) {
	if b.failures.Load() < breakerFailures {
		return true, false
	}
	now, until := time.Now().UnixNano(), b.until.Load()
	trial = now >= until && b.until.CompareAndSwap(until, now+int64(breakerPause))
	return trial, trial
}

// undecided makes the next call the trial: this one was cancelled.
func (b *breaker) undecided() { b.until.Store(time.Now().UnixNano()) }

// failed counts a failed call. An invalid answer is an answer, too: it closes the
// circuit.
func (b *breaker) failed(err error) {
	if !wasted(err) {
		b.answered()
		return
	}
	if b.failures.Add(1) >= breakerFailures {
		b.until.Store(time.Now().UnixNano() + int64(breakerPause))
	}
}

// answered takes note of an answer. It stores nothing where nothing changes: every call
// of every hook comes by.
func (b *breaker) answered() {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
}

// CircuitOpen reports whether the circuit of a hook is open: its failure policy answers, and one
// call every two seconds is let through. Of a hook that is not there it is not.
func (e *Engine) CircuitOpen(id string) bool {
	e.mu.Lock()
	h := e.hooks[id]
	e.mu.Unlock()
	return h != nil && h.breaker.failures.Load() >= breakerFailures
}
