//go:build unix

package command

import (
	"os"
	"runtime"
	"syscall"
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
