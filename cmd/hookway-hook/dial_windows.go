package main

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// endings are the signals that end the shim. It answers first.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

// pipeBusy is ERROR_PIPE_BUSY.
const pipeBusy = syscall.Errno(231)

// busy reports whether somebody listens who takes no call.
func busy(err error) bool { return errors.Is(err, pipeBusy) }

// dial opens the daemon's pipe. One that is busy is waited for.
func dial(pipe string, deadline time.Time) (*os.File, error) {
	for pause := busyPause; ; {
		f, err := os.OpenFile(pipe, os.O_RDWR, 0)
		if err == nil || !busy(err) || time.Until(deadline) < pause.Most {
			return f, err
		}
		time.Sleep(pause.Next())
	}
}

// Standard files.
var (
	stdout = os.Stdout
	stderr = os.Stderr
)

// write writes all of it.
func write(f *os.File, b []byte) error {
	_, err := f.Write(b)
	return err
}
