package hook

import (
	"sync/atomic"
	"time"
)

// A circuit opens after breakerFailures failed calls in a row. For breakerPause
// the hook is not run; then one call tries it, and the others wait for what
// becomes of that.
const (
	breakerFailures = 5
	breakerPause    = 30 * time.Second
)

// breaker is one hook's circuit.
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

// undecided lets the next call be the trial: this one was cut short.
func (b *breaker) undecided() { b.until.Store(time.Now().UnixNano()) }

func (b *breaker) failed() {
	if b.failures.Add(1) >= breakerFailures {
		b.until.Store(time.Now().UnixNano() + int64(breakerPause))
	}
}

func (b *breaker) succeeded() {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
}
