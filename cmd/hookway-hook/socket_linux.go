package main

import (
	"os"
	"syscall"
)

func newSocket() (int, error) {
	return syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
}

// ours refuses a socket at which another user listens: the folder is closed to
// others, but it may have been given to one.
func ours(fd int) error {
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return err
	}
	if int(peer.Uid) != os.Geteuid() {
		return errStranger
	}
	return nil
}
