//go:build unix

package session

import (
	"os"
	"syscall"
)

// passedOn are the signals that are the program's.
var passedOn = []os.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}
