package terminal

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// awaitBytes waits until fd has something to read, or its end, or until wake has. A
// negative limit or wake is none. It returns false, false after the limit. It is select
// because poll knows no terminals here.
func awaitBytes(fd, wake int, limit time.Duration) (ready, woken bool, err error) {
	var set unix.FdSet
	err = choose(limit, fd, wake, func() (read, write *unix.FdSet) {
		set.Zero()
		set.Set(fd)
		if wake >= 0 {
			set.Set(wake)
		}
		return &set, nil
	})
	if err != nil {
		return false, false, err
	}
	return set.IsSet(fd), wake >= 0 && set.IsSet(wake), nil
}

// awaitRoom waits until fd takes something, or for the time given.
func awaitRoom(fd int, limit time.Duration) error {
	var set unix.FdSet
	return choose(limit, fd, 0, func() (read, write *unix.FdSet) {
		set.Zero()
		set.Set(fd)
		return nil, &set
	})
}

func choose(limit time.Duration, fd, other int, sets func() (read, write *unix.FdSet)) error {
	if most := max(fd, other); most >= unix.FD_SETSIZE {
		return fmt.Errorf("watch the terminal: descriptor %d is too large", most)
	}
	end := time.Now().Add(limit)
	for {
		var left *unix.Timeval
		if limit >= 0 {
			tv := unix.NsecToTimeval(max(0, time.Until(end)).Nanoseconds())
			left = &tv
		}
		read, write := sets()
		if _, err := unix.Select(max(fd, other)+1, read, write, nil, left); err != unix.EINTR {
			return err
		}
	}
}
