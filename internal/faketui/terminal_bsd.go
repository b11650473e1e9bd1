//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package faketui

import "syscall"

const getTermios, setTermios = syscall.TIOCGETA, syscall.TIOCSETA
