//go:build unix

package command

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/procgroup"
)

// nothingLeft checks at the end of a test, after its handlers are closed, that
// no goroutine is left. Call it before anything is started.
func nothingLeft(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		eventually.Goroutines(t, before)
	})
}

// readPID waits for a program to write its number into a file.
func readPID(t testing.TB, path string) int {
	t.Helper()
	var pid int
	eventually.True(t, path+" holds a number", func() bool {
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
	eventually.True(t, "group "+strconv.Itoa(pgid)+" is gone", func() bool {
		return !procgroup.Populated(pgid)
	})
}
