//go:build unix

package command

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/procgroup"
)

// eventually waits until something holds, looking often, for a bounded time.
func eventually(t testing.TB, what string, holds func() bool) {
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

// nothingLeft checks at the end of a test, after its handlers are closed, that
// no goroutine is left. Call it before anything is started.
func nothingLeft(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		eventually(t, "all goroutines ended", func() bool { return runtime.NumGoroutine() <= before })
	})
}

// readPID waits for a program to write its number into a file.
func readPID(t testing.TB, path string) int {
	t.Helper()
	var pid int
	eventually(t, path+" holds a number", func() bool {
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return pid
}

// groupGone checks that no process of a group runs any more. Orphans that have
// ended may wait long for the system to take note, on some for ever.
func groupGone(t testing.TB, pgid int) {
	t.Helper()
	eventually(t, "group "+strconv.Itoa(pgid)+" is gone", func() bool {
		return !procgroup.Populated(pgid)
	})
}
