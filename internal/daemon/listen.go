package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/wire/call"
)

// held is a listener with the lock that entitles to it.
type held struct {
	net.Listener
	lock *os.File
}

// Close gives the socket back, and then the lock.
func (h *held) Close() error { return errors.Join(h.Listener.Close(), h.lock.Close()) }

// listen takes the lock, clears what a dead daemon left, and listens.
func listen(at call.Places) (*held, error) {
	if err := call.MakeDir(at.Dir); err != nil {
		return nil, fmt.Errorf("the daemon has no folder for its socket: %w", err)
	}
	path := filepath.Join(at.Dir, "daemon.lock")
	lock, err := takeLock(path, at.Socket)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the daemon cannot take its lock: %w", err)
	case lock == nil:
		return nil, &RunningError{PID: holder(path), Socket: at.Socket}
	}
	l, err := listenLocked(at, lock)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("the daemon cannot listen at %s: %w", at.Socket, err)
	}
	return &held{l, lock}, nil
}

// dyingTime bounds how long a daemon that was killed may still have its lock: the
// system takes its files back one after the other, the socket maybe first.
const dyingTime = 500 * time.Millisecond

// takeLock takes the lock of the daemon, unless one that takes calls has it.
func takeLock(path, socket string) (*os.File, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dyingTime)
	defer cancel()
	for {
		lock, err := call.TryLock(path)
		if lock != nil || err != nil {
			return lock, err
		}
		if c, err := Dial(ctx, socket); err == nil {
			return nil, c.Close()
		}
		if backoff.Sleep(ctx, startPause) != nil {
			return nil, nil //nolint:nilnil // as TryLock has it
		}
	}
}

func listenLocked(at call.Places, lock *os.File) (net.Listener, error) {
	writeHolder(lock)
	if err := clear(at.Socket); err != nil {
		return nil, err
	}
	at.ClearStuck() // that was another one
	return listenSocket(at.Socket)
}

// writeHolder writes into the lock who has it, for those who do not get it. On a
// full disk they are not notified; calls are answered all the same.
func writeHolder(lock *os.File) {
	if lock.Truncate(0) == nil {
		_, _ = lock.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	}
}

// holder reads who has the lock; 0 if that cannot be known.
func holder(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}
