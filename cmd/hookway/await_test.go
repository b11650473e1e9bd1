package main

import (
	"testing"
	"time"
)

// await waits until something holds, looking often, for a bounded time. It is for what
// nobody tells.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	awaitOr(t, what, holds, func() string { return "" })
}

// awaitOr says more if that does not come.
func awaitOr(t *testing.T, what string, holds func() bool, more func() string) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("it never came true that %s; %s", what, more())
		}
	}
}
