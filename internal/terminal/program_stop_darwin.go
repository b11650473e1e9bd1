package terminal

import "golang.org/x/sys/unix"

// stoppedState is SSTOP of the kernel.
const stoppedState = 4

// hasStopped reports whether a child is stopped.
func hasStopped(pid int) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && info.Proc.P_stat == stoppedState
}

// isStopped reports whether a process is stopped, or gone.
func isStopped(pid int) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err != nil || info.Proc.P_stat == stoppedState
}

// parentOf is the process that has started another; 0 if the system does not tell.
func parentOf(pid int) int {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(info.Eproc.Ppid)
}
