package terminal

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// hasStopped reports whether a child has stopped since the last call. It does
// not take its end from who waits for that.
func hasStopped(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}

// isStopped reports whether a process is stopped, or gone; true if the system does not tell.
func isStopped(pid int) bool {
	state, _ := statOf(pid)
	return state == "" || state == "T" || state == "t" || state == "Z"
}

// parentOf is the process that has started another; 0 if the system does not tell.
func parentOf(pid int) int {
	_, parent := statOf(pid)
	return parent
}

func statOf(pid int) (state string, parent int) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	_, _ = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
	return state, parent
}
