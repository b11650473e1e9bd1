package procgroup

import "syscall"

// dieWithParent has the kernel kill the process with the thread that starts it.
// Go ends no thread that is not locked to a goroutine.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
