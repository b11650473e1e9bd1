//go:build unix

package script

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/hookway/hookway/internal/procgroup"
)

func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	inGroup(cmd, false)
	return cmd
}

// inGroup returns a program a group of its own, unless it belongs to ours.
func inGroup(cmd *exec.Cmd, ours bool) {
	cmd.WaitDelay = execGrace
	if ours {
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		return
	}
	cmd.SysProcAttr = procgroup.Attr()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// startInGroup starts a program; what it gives waits for its end.
func startInGroup(cmd *exec.Cmd) (func() error, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if cmd.SysProcAttr == nil { // of our own group
		return cmd.Wait, nil
	}
	group := cmd.Process.Pid
	procgroup.Note(group)
	return func() error {
		err := cmd.Wait()
		_ = syscall.Kill(-group, syscall.SIGKILL)
		procgroup.Forget(group)
		return err
	}, nil
}

// signals are the names of those that a script may send.
var signals = map[string]syscall.Signal{
	"SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT, "SIGQUIT": syscall.SIGQUIT, "SIGKILL": syscall.SIGKILL, "SIGTERM": syscall.SIGTERM, "SIGUSR1": syscall.SIGUSR1, "SIGUSR2": syscall.SIGUSR2,
	"SIGABRT": syscall.SIGABRT, "SIGPIPE": syscall.SIGPIPE, "SIGALRM": syscall.SIGALRM, "SIGSTOP": syscall.SIGSTOP, "SIGCONT": syscall.SIGCONT, "SIGSEGV": syscall.SIGSEGV,
}

// signalOf names the signal that ended a program, or gives "".
func signalOf(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	for name, s := range signals {
		if s == status.Signal() {
			return name
		}
	}
	return "SIGKILL"
}

// signalChild sends a signal to a program of ours, and to its group if it has one.
func signalChild(cmd *exec.Cmd, name string) bool {
	s, ok := signals[name]
	if !ok && name != "0" {
		return false
	}
	return cmd.Process.Signal(s) == nil
}

func signalProcess(pid int, s syscall.Signal) error {
	if err := syscall.Kill(pid, s); err != nil {
		return errors.Join(err)
	}
	return nil
}
