package procgroup

import (
	"os"
	"syscall"
)

// dieWithParent has the kernel kill the process with the thread that starts it.
// Go ends no thread that is not locked to a goroutine.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// session is the session that this process leads, in which there are only its own
// descendants; 0 if it leads none.
func session() int {
	id, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	if errno != 0 || int(id) != os.Getpid() {
		return 0
	}
	return int(id)
}
