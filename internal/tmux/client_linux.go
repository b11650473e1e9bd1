package tmux

import "syscall"

// detachSignal ends a client, which gives its terminal back.
const detachSignal = syscall.SIGTERM

// withParent has a client end with the process that started it: else it would
// share the terminal with the shell.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: detachSignal} }
