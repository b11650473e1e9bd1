//go:build unix

package fulldisk

import (
	"fmt"
	"os/signal"
	"syscall"
)

func begin(bytes uint64) (room func() error, err error) {
	signal.Ignore(syscall.SIGXFSZ)
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		return nil, fmt.Errorf("how long files may become is not known: %w", err)
	}
	tight := usual
	tight.Cur = min(bytes, usual.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &tight); err != nil {
		return nil, fmt.Errorf("how long files may become cannot be bounded: %w", err)
	}
	return func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual) }, nil
}
