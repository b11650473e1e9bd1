//go:build unix

package bus_test

import (
	"os/signal"
	"syscall"
)

// limitFiles bounds how long a file may become that this process writes, as a full
// disk does.
func limitFiles(most uint64) error {
	if most == 0 {
		return nil
	}
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most})
}
