package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// ReadyFD is the variable that names the descriptor which a daemon closes as soon
// as it accepts connections.
const ReadyFD = "HOOKWAY_READY_FD"

// startPause is the time between two looks at what another process is starting.
const startPause = 5 * time.Millisecond

// Start connects to the daemon, and starts it if there is none: the program
// executable, as `serve --on-demand`, detached. Of many who start one at once, one
// does and the others wait for it.
func Start(ctx context.Context, at call.Places, executable string, environ []string) (*Client, error) {
	if err := call.MakeDir(at.Dir); err != nil {
		return nil, err
	}
	for {
		c, err := Dial(ctx, at.Socket)
		if !errors.Is(err, ErrNone) {
			return c, err
		}
		lock, err := call.TryLock(at.Lock)
		if err != nil {
			return nil, fmt.Errorf("no daemon can be started: %w", err)
		}
		if lock != nil {
			defer lock.Close()
			if err := spawn(ctx, at.Socket, executable, environ); err != nil {
				return nil, err
			}
			return dialStarted(ctx, at)
		}
		if err := wait(ctx, startPause); err != nil {
			return nil, fmt.Errorf("the daemon that another process starts does not come: %w", err)
		}
	}
}

// dialStarted connects to the daemon that was just started.
func dialStarted(ctx context.Context, at call.Places) (*Client, error) {
	c, err := Dial(ctx, at.Socket)
	if errors.Is(err, ErrNone) {
		return nil, fmt.Errorf("a daemon was started but does not serve %s; hookway serve shows why, or see daemon.log in hookway's state folder: %w", at.Socket, err)
	}
	return c, err
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// command is the daemon's command line, in no one's folder and with no one's streams.
func command(executable string, environ []string) *exec.Cmd {
	cmd := exec.Command(executable, "serve", "--on-demand")
	cmd.Env = environ
	cmd.Dir = string(filepath.Separator)
	cmd.SysProcAttr = detached()
	return cmd
}

// CloseReady tells whoever started this process that it accepts connections.
func CloseReady(value string) {
	fd, err := strconv.Atoi(value)
	if err != nil || fd < 3 {
		return
	}
	if f := os.NewFile(uintptr(fd), "ready"); f != nil {
		f.Close()
	}
}

// AwaitAccepting waits until the process that has the lock accepts connections,
// for a bounded time.
func AwaitAccepting(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for {
		c, err := Dial(ctx, socket)
		if err == nil {
			return c.Close()
		}
		if wait(ctx, startPause) != nil {
			return err
		}
	}
}
