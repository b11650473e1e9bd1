//go:build unix && !linux

package procgroup

import "syscall"

// dieWithParent is nothing the kernel knows here; the keeper alone does it.
func dieWithParent(*syscall.SysProcAttr) {}
