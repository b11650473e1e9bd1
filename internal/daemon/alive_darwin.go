package daemon

import "golang.org/x/sys/unix"

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	const zombie = 5 // SZOMB
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && info.Proc.P_pid == int32(pid) && info.Proc.P_stat != zombie
}
