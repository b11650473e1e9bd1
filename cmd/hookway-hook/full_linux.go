package main

import (
	"runtime"
	"syscall"
)

// ownGroup keeps signals for the agent's group from the child, and ours for the
// child's from the agent. Should the shim be killed, the kernel asks the child to
// end: the shim's thread that starts it must live as long as the shim.
func ownGroup() *syscall.SysProcAttr {
	runtime.LockOSThread() // never unlocked: this goroutine ends with the process
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
