//go:build unix

package main

import (
	"os"
	"strings"
	"syscall"
)

const suffix = ""

func absolute(dir string) bool { return strings.HasPrefix(dir, "/") }

func askToEnd(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
