package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/wire/call"
)

// Bounds of a start.
const (
	startPause = 5 * time.Millisecond // between two looks at what another process is starting
	startTime  = 10 * time.Second     // if the context says nothing
)

// Start connects to the daemon, and starts it if there is none: the program
// executable, as `serve --on-demand`, detached. Of many who start one at once, one
// does and the others wait for it. A nil environ is that of this process.
func Start(ctx context.Context, at call.Places, executable string, environ []string) (*Client, error) {
	c, err := Dial(ctx, at.Socket)
	if !errors.Is(err, ErrNone) {
		return c, err
	}
	deadline, bounded := ctx.Deadline()
	if !bounded {
		deadline = time.Now().Add(startTime)
	}
	s := call.Starter{
		Places: at, Program: executable, Env: environ, Deadline: deadline,
		Up: func() bool {
			c, err = Dial(ctx, at.Socket)
			return err == nil
		},
	}
	switch failed := s.Start(); {
	case failed == nil:
		return c, nil
	case err != nil && !errors.Is(err, ErrNone) && !late(err) && ctx.Err() == nil: // somebody is there, but not for us
		return nil, err
	default:
		return nil, fmt.Errorf("no daemon can be started: %w", failed)
	}
}

// late reports whether a call has run out of time. It has the deadline of its
// context, and may notice that before the context does.
func late(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// CloseReady tells the process that started this one that it accepts connections.
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
		if backoff.Sleep(ctx, startPause) != nil {
			return err
		}
	}
}
