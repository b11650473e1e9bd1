package main

import (
	"os"
	"syscall"
)

const suffix = ".exe"

func absolute(dir string) bool {
	return len(dir) > 2 && (dir[1] == ':' || dir[0] == '\\' && dir[1] == '\\')
}

// ownGroup keeps the agent's Ctrl-C from the child.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// askToEnd cannot ask here.
func askToEnd(*os.Process) {}

// kill ends the child; its hooks end with it, for they are in its job.
func kill(p *os.Process) { _ = p.Kill() }

// readNow is not called: pipes have no deadlines here.
func readNow(*os.File, []byte) (int, error) { return 0, os.ErrClosed }
