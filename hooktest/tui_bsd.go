//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package hooktest

import "syscall"

const getTermios, setTermios = syscall.TIOCGETA, syscall.TIOCSETA
