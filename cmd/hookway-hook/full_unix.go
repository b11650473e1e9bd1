//go:build unix

package main

import (
	"os"
	"strings"
	"syscall"
)

const suffix = ""

func absolute(dir string) bool { return strings.HasPrefix(dir, "/") }

// ownGroup keeps signals for the agent's group from the child, and ours for the
// child's from the agent.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func askToEnd(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
