//go:build unix && !linux

package procgroup

import "syscall"

// Populated reports whether a process of the group runs. Zombies count: these
// systems wait for orphans.
func Populated(group int) bool { return syscall.Kill(-group, 0) != syscall.ESRCH }
