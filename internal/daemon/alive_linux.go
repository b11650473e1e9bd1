package daemon

import "golang.org/x/sys/unix"

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	switch err { //nolint:errorlint // a bare errno
	case nil:
	case unix.ESRCH:
		return false
	default: // an old kernel
		return unix.Kill(pid, 0) == nil
	}
	defer unix.Close(fd)
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err != nil || n == 0
}
