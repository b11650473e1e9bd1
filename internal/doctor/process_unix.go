//go:build unix

package doctor

import (
	"context"
	"os/exec"
	"syscall"
	"time"

	"github.com/hookway/hookway/internal/install"
)

// grace is how long a group has to end once it was asked to.
const grace = 2 * time.Second

// shell is an installed command line as agents run it.
func shell(ctx context.Context, e install.EventState) *exec.Cmd {
	if e.Line == "" {
		return exec.CommandContext(ctx, e.Program, arguments(e)...)
	}
	return exec.CommandContext(ctx, "/bin/sh", "-c", e.Line)
}

// runGroup runs a program in a process group of its own, which has ended when it
// returns: also what the program left behind.
func runGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return err
}
