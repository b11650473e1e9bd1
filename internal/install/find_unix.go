//go:build unix

package install

import (
	"os/exec"
	"syscall"
)

// alone gives a program a process group of its own, all of which ends when its
// time is over.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
