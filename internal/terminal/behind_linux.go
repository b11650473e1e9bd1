package terminal

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// behindBy is how much less of a processor those get that look at the output than
// those that hand it to the user, when there is not enough for both.
const behindBy = 10

// Behind makes the goroutine that calls it one that leaves the processor to
// others: to the user's bytes, in the first place. It stays on a thread of its
// own, which ends with it. For the one that calls Next.
func Behind() {
	runtime.LockOSThread()
	self := unix.Gettid()
	if rank, err := unix.Getpriority(unix.PRIO_PROCESS, self); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, self, min(20-rank+behindBy, 19)) // the kernel counts down from 20
	}
}
