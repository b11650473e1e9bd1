// Package eventually lets tests wait for a state that nothing announces. A test that can
// wait for an event waits for that instead. No product links this package.
package eventually

import (
	"runtime"
	"testing"
	"time"
)

// patience is how long a test waits: as long as the slowest machine may take for
// what should take milliseconds.
const patience = 2 * time.Minute

// True waits until something holds, and fails the test if it never does. What more
// returns stands in that failure.
func True(t testing.TB, what string, holds func() bool, more ...func() string) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			text := ""
			for _, say := range more {
				text += "; " + say()
			}
			t.Fatalf("got nothing in %v, want that %s%s", patience, what, text)
		}
	}
}

// Goroutines waits until no more goroutines run than ran before.
func Goroutines(t testing.TB, before int) {
	t.Helper()
	True(t, "no goroutine is left over", func() bool { return runtime.NumGoroutine() <= before }, func() string {
		stacks := make([]byte, 1<<20)
		return string(stacks[:runtime.Stack(stacks, true)])
	})
}
