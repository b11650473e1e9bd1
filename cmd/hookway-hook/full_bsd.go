//go:build unix && !linux

package main

import "syscall"

// ownGroup keeps signals for the agent's group from the child, and ours for the
// child's from the agent.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
