//go:build unix

package main

import (
	"io"
	"os"
	"strings"
	"syscall"
)

const suffix = ""

func absolute(dir string) bool { return strings.HasPrefix(dir, "/") }

func askToEnd(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// readNow reads what is in a pipe, without waiting for more.
func readNow(f *os.File, b []byte) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	err = conn.Read(func(fd uintptr) bool {
		var failed error
		for n, failed = syscall.Read(int(fd), b); failed == syscall.EINTR; {
			n, failed = syscall.Read(int(fd), b)
		}
		n = max(0, n)
		return true
	})
	if err == nil && n == 0 {
		err = io.EOF
	}
	return n, err
}
