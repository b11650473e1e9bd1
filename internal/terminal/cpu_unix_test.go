//go:build unix

package terminal

import (
	"syscall"
	"testing"
	"time"
)

// worked is for how long processors have worked for this process: on a machine
// that has other things to do, less than the time that has passed.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
