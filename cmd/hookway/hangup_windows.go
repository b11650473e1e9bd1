package main

import (
	"os"
	"syscall"
)

// hangup is sent when the console window is closed, or the user logs off.
var hangup = []os.Signal{syscall.SIGTERM}
