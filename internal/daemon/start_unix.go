//go:build unix

package daemon

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// detached puts a process into a session of its own, where no terminal's signals
// reach it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// spawn starts a daemon and waits until it accepts connections, or has ended.
func spawn(ctx context.Context, _, executable string, environ []string) error {
	ready, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	cmd := command(executable, append(environ[:len(environ):len(environ)], ReadyFD+"=3"))
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return fmt.Errorf("no daemon can be started: %w", err)
	}
	go func() { _ = cmd.Wait() }() // no zombie, if it ends before this process
	stop := context.AfterFunc(ctx, func() { ready.Close() })
	defer stop()
	_, _ = ready.Read(make([]byte, 1)) // returns when the daemon closes its end, or ends
	if ctx.Err() != nil {
		return fmt.Errorf("the daemon (pid %d) does not get ready: %w", cmd.Process.Pid, ctx.Err())
	}
	return nil
}
