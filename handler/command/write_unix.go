//go:build unix

package command

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"time"
)

// atomicWrite is how many bytes go into a pipe whole or not at all (PIPE_BUF).
func atomicWrite() int {
	if runtime.GOOS == "linux" {
		return 4096
	}
	return 512 // what POSIX promises
}

// writeNow writes to a pipe if that is possible without waiting.
func writeNow(f *os.File, line []byte) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	n := 0
	err = conn.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), line)
		return true // no second try: the goroutine that may wait has it
	})
	return err == nil && n == len(line)
}

// readNow reads from a pipe whose deadline is over what is there without
// waiting. Where nothing is, it gives os.ErrDeadlineExceeded.
func readNow(f *os.File, b []byte) (int, error) {
	if err := f.SetReadDeadline(time.Time{}); err != nil { // a reader after its deadline is not even asked
		return 0, err
	}
	defer f.SetReadDeadline(time.Unix(1, 0)) // the next Read must not wait either
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var n int
	var failed error
	err = conn.Read(func(fd uintptr) bool {
		for {
			if n, failed = syscall.Read(int(fd), b); failed != syscall.EINTR {
				return true
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case failed == syscall.EAGAIN:
		return 0, os.ErrDeadlineExceeded
	case failed != nil:
		return 0, failed
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
