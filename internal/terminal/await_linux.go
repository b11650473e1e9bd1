package terminal

import (
	"time"

	"golang.org/x/sys/unix"
)

// awaitBytes waits until fd has something to read, or its end, or until wake has. A
// negative limit or wake is none. It returns false, false after the limit.
func awaitBytes(fd, wake int, limit time.Duration) (ready, woken bool, err error) {
	set := [...]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(wake), Events: unix.POLLIN}}
	if err := poll(set[:], limit); err != nil {
		return false, false, err
	}
	return set[0].Revents != 0, set[1].Revents != 0, nil
}

// awaitRoom waits until fd takes something, or for the time given.
func awaitRoom(fd int, limit time.Duration) error {
	return poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, limit)
}

func poll(set []unix.PollFd, limit time.Duration) error {
	end := time.Now().Add(limit)
	for {
		ms := -1
		if limit >= 0 {
			ms = int(max(0, time.Until(end)+time.Millisecond-1) / time.Millisecond)
		}
		if _, err := unix.Poll(set, ms); err != unix.EINTR {
			return err
		}
	}
}
