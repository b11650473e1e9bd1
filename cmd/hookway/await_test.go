package main

import (
	"testing"
	"time"
)

// await waits until something holds, looking often, for a bounded time.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("it never came true that %s", what)
		}
	}
}
