package terminal

import "golang.org/x/sys/unix"

const unreadBytes = unix.TIOCINQ

// hasStopped reports whether a child has stopped since the last call. It does
// not take its end from who waits for that.
func hasStopped(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}
