//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangup is sent when the terminal goes away.
var hangup = []os.Signal{syscall.SIGHUP}
