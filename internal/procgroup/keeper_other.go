//go:build unix && !linux

package procgroup

import "syscall"

// dieWithParent is nothing the kernel knows here; the keeper alone does it.
func dieWithParent(*syscall.SysProcAttr) {}

// session is not asked for: the keeper could not find who is in it.
func session() int { return 0 }
