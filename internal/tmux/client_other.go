//go:build !linux

package tmux

import "syscall"

// detachSignal ends a client, which gives its terminal back.
const detachSignal = syscall.SIGTERM

// withParent is nothing that can be asked for here: a client that loses its
// parent is no longer the terminal's foreground, reads an error, and ends.
func withParent() *syscall.SysProcAttr { return nil }
