//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// endings are the signals that end the shim. It answers first.
var endings = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}

// dial connects to a socket, without the network package: that makes the binary
// half as large again. A full queue is waited for.
func dial(socket string, deadline time.Time) (*os.File, error) {
	fd, err := newSocket()
	if err != nil {
		return nil, err
	}
	address := &syscall.SockaddrUnix{Name: socket}
	for pause := busyPause; ; {
		err = syscall.Connect(fd, address)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR) || time.Until(deadline) < pause.Most {
			_ = syscall.Close(fd)
			return nil, &os.PathError{Op: "connect", Path: socket, Err: err}
		}
		time.Sleep(pause.Next())
	}
	err = ours(fd)
	if err == nil {
		err = syscall.SetNonblock(fd, false) // no poller for one connection
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, &os.PathError{Op: "connect", Path: socket, Err: err}
	}
	return os.NewFile(uintptr(fd), socket), nil
}

// busy reports whether somebody listens who takes no call.
func busy(err error) bool { return errors.Is(err, syscall.EAGAIN) }

// Standard files. They are written to past package os, where a closed pipe is an
// error and no signal.
const (
	stdout = 1
	stderr = 2
)

// write writes all of it, also where the agent made the pipe non-blocking.
func write(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			time.Sleep(time.Millisecond)
		case err != nil && !errors.Is(err, syscall.EINTR):
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}
