//go:build unix

package script

import (
	"context"
	"os/exec"
	"syscall"

	"github.com/hookway/hookway/internal/procgroup"
)

func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.SysProcAttr = procgroup.Attr()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = execGrace
	return cmd
}

// runGroup runs a program to its end, and ends what is left of its group.
func runGroup(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	group := cmd.Process.Pid
	procgroup.Note(group)
	err := cmd.Wait()
	_ = syscall.Kill(-group, syscall.SIGKILL)
	procgroup.Forget(group)
	return err
}
