package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/wire/call"
)

// Bounds of each step of End. A daemon that does not answer, or does not come to
// its end, is killed before endTime is over.
const (
	reachTime     = time.Second
	askTime       = 1500 * time.Millisecond
	terminateTime = 2 * time.Second
	killTime      = 2 * time.Second
	killsTime     = 300 * time.Millisecond // before endTime
)

// Tests have more time: their machines are slow.
var (
	endTime   = 5 * time.Second // of all of End
	drainTime = 3 * time.Second // for the requests under way when the server stops
)

// How a daemon was ended.
const (
	Asked      = "asked"
	Terminated = "terminated" // it did not answer, but to a signal
	Killed     = "killed"
)

// Ended says which process was ended, and how.
type Ended struct {
	PID int    `json:"pid"`
	How string `json:"how"`
}

// End ends the daemon. It is asked to; if it hangs, its process is sent SIGTERM,
// and then killed, once it is certain that the process is the daemon. The error is
// ErrNone if there is none.
func End(ctx context.Context, at call.Places, version string) (Ended, error) {
	kill := time.Now().Add(endTime - killsTime)
	lock := filepath.Join(at.Dir, "daemon.lock")
	c, err := dialFor(ctx, at.Socket)
	if errors.Is(err, ErrNone) && locked(lock) { // it is just coming, or somebody removed its socket
		_ = backoff.Sleep(ctx, reachTime/4)
		c, err = dialFor(ctx, at.Socket)
	}
	if errors.Is(err, ErrNone) && !locked(lock) {
		return Ended{}, err
	}
	if err != nil { // there is no process to ask
		return force(ctx, at, kill, holder(lock), func(pid int) error { return serves(pid, lock, nil) })
	}
	defer c.Close()
	pid, err := serverOf(c.nc)
	if err != nil || pid <= 0 {
		pid = holder(lock)
	}
	certain := func(pid int) error { return serves(pid, lock, c.nc) }
	switch st, answered, err := stop(ctx, kill, c, version); {
	case answered && err == nil:
		at.ClearStuck()
		return Ended{st.PID, Asked}, nil
	case answered && st.PID == pid: // it gave its lock back, and does not come to its end
		certain = func(int) error { return nil }
	case !answered && !alive(pid) && !locked(lock): // it ended meanwhile
		return Ended{pid, Asked}, sweep(at)
	}
	return force(ctx, at, kill, pid, certain)
}

func dialFor(ctx context.Context, socket string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	return Dial(ctx, socket)
}

// stop asks the daemon to end, and reports whether it answered.
func stop(ctx context.Context, until time.Time, c *Client, version string) (st Status, answered bool, err error) {
	asking, cancel := context.WithTimeout(ctx, askTime)
	st, err = c.ask(asking, &call.Request{Kind: call.KindStop, Version: version})
	cancel()
	if err != nil {
		return st, false, err
	}
	ctx, cancel = context.WithDeadline(ctx, until)
	defer cancel()
	return st, true, c.awaitEnd(ctx, st.PID)
}

// force ends the process of a daemon that hangs, if it is certain which that is.
// It is killed at a time, and asked to end before that if there is any left.
func force(ctx context.Context, at call.Places, kill time.Time, pid int, certain func(pid int) error) (Ended, error) {
	cannot := func(err error) (Ended, error) {
		return Ended{}, fmt.Errorf("the daemon does not answer, and it is not certain that it is process %d; end it yourself: %w", pid, err)
	}
	if err := ctx.Err(); err != nil {
		return Ended{}, err
	}
	if pid <= 0 || pid == os.Getpid() {
		return cannot(errors.New("no such process can be ended"))
	}
	p, err := os.FindProcess(pid) // where the system can, it stays this process
	if err != nil {
		return cannot(err)
	}
	defer func() { _ = p.Release() }()
	if err := certain(pid); err != nil {
		return cannot(err)
	}
	how := Killed
	if terminate(p) == nil && awaitExitFor(ctx, pid, min(terminateTime, time.Until(kill))) == nil {
		how = Terminated
	} else if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return Ended{}, fmt.Errorf("the daemon (pid %d) does not answer and cannot be killed: %w", pid, err)
	} else if err := awaitExitFor(ctx, pid, killTime); err != nil {
		return Ended{}, err
	}
	return Ended{pid, how}, sweep(at)
}

func awaitExitFor(ctx context.Context, pid int, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return awaitExit(ctx, pid)
}

// sweep removes what a killed daemon left, unless the next one is there already.
func sweep(at call.Places) error {
	lock, err := call.TryLock(filepath.Join(at.Dir, "daemon.lock"))
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	at.ClearStuck()
	return clear(at.Socket)
}

// locked reports whether a process has the lock of the daemon. It makes no file.
func locked(path string) bool {
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	lock, err := call.TryLock(path)
	if lock != nil {
		lock.Close()
	}
	return err == nil && lock == nil
}
