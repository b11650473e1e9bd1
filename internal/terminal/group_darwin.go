package terminal

import "golang.org/x/sys/unix"

// populated reports whether the process group has a process that runs. The
// kernel refuses to signal a group of zombies.
func populated(group int) bool { return unix.Kill(-group, 0) == nil }
