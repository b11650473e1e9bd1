package daemon

import (
	"context"
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// detached gives a process no console, and no part in the signals of ours.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// spawn starts a daemon and waits until its pipe is there, or it has ended.
// Descriptors are not inherited by number here, so that it is looked for.
func spawn(ctx context.Context, socket, executable string, environ []string) error {
	cmd := command(executable, environ)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("no daemon can be started: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	for {
		c, err := Dial(ctx, socket)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ended:
			return nil
		default:
		}
		if err := wait(ctx, startPause); err != nil {
			return fmt.Errorf("the daemon (pid %d) does not get ready: %w", cmd.Process.Pid, err)
		}
	}
}
