//go:build unix && !linux

package procgroup

import "syscall"

// Populated reports whether a process of the group runs. The kernel refuses to
// signal a group of zombies.
func Populated(group int) bool { return syscall.Kill(-group, 0) == nil }
