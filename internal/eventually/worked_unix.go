//go:build unix

package eventually

import (
	"syscall"
	"testing"
	"time"
)

// Worked is for how long processors have worked for this process: on a machine that has
// other things to do, less than the time that has passed.
func Worked(t testing.TB) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
