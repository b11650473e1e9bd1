//go:build linux || darwin

package terminal

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/hookway/hookway/internal/procgroup"
)

// reap ends what is left of the process group: SIGTERM, and SIGKILL after the
// grace. It returns when the group is empty, or soon after the SIGKILL.
func reap(group int, grace time.Duration) {
	if !procgroup.Populated(group) {
		return
	}
	_ = unix.Kill(-group, unix.SIGTERM)
	_ = unix.Kill(-group, unix.SIGCONT)
	if !emptied(group, grace) {
		_ = unix.Kill(-group, unix.SIGKILL)
		emptied(group, time.Second)
	}
}

// emptied waits until the group has no process, at most for the given time.
func emptied(group int, within time.Duration) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(within); time.Now().Before(end); <-tick.C {
		if !procgroup.Populated(group) {
			return true
		}
	}
	return false
}
