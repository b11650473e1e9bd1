//go:build unix

package owner

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// openTerminal opens the terminal that this process belongs to. It must be the one that
// the command reads and writes: who is at another one was not looked at.
func openTerminal(in, out *os.File) (*Terminal, error) {
	file, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, notOwner("this command belongs to no terminal; run it in one that you opened yourself")
	}
	t := &Terminal{in: file}
	own, err := foreground(file)
	if err == nil && !own {
		err = notOwner("this command runs in the background of its terminal; run it in front")
	}
	if err == nil {
		t.Name, err = same(in, out)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return t, nil
}

// foreground reports whether this process is the one that the terminal's keys go to.
func foreground(tty *os.File) (bool, error) {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return false, err
	}
	return group == unix.Getpgrp(), nil
}

// same checks that in and out are the terminal that this process belongs to.
func same(in, out *os.File) (string, error) {
	own, err := terminalOf()
	if err != nil {
		return "", err
	}
	for _, file := range []*os.File{in, out} {
		var stat unix.Stat_t
		if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
			return "", err
		}
		if own != 0 && uint64(stat.Rdev) != own || !term.IsTerminal(int(file.Fd())) {
			return "", notOwner("this command reads or writes another terminal than the one that it belongs to; run it without redirections")
		}
	}
	return nameOf(in), nil
}
