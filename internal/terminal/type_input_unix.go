//go:build linux || darwin

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputOf looks at a terminal: at the program's end of it for what waits there,
// at ours for who is in the foreground, which a terminal tells only its own.
// The program was started with the process id leader.
func inputOf(pty, tty *os.File, leader int) Input {
	var in Input
	err := withFd(tty, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		in.Lines, in.Echo = t.Lflag&unix.ICANON != 0, t.Lflag&unix.ECHO != 0
		in.Unread, err = unix.IoctlGetInt(fd, unread)
		return err
	})
	in.Gone = err != nil
	_ = withFd(pty, func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err == nil && group > 0 && group != leader {
			in.Front = commandOf(group)
		} else if line := commandOf(leader); line[0] != "" {
			in.Leader = line
		}
		return err
	})
	return in
}
