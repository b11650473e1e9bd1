//go:build unix && !linux

package main

import "syscall"

func newSocket() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return -1, err
	}
	syscall.CloseOnExec(fd)
	return fd, syscall.SetNonblock(fd, true)
}

// ours relies on the folder, which was looked at: to ask for the peer takes a
// package that is not worth its weight here.
func ours(int) error { return nil }
