package daemon

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
	lock, err := call.TryLock(path)
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

func listenLocked(at call.Places, lock *os.File) (net.Listener, error) {
	writeHolder(lock)
	if err := clear(at.Socket); err != nil {
		return nil, err
	}
	at.ClearStuck() // that was another one
	return listenSocket(at.Socket)
}

// writeHolder writes into the lock who has it, for those who do not get it. On a
// full disk they are not told; that is no reason to answer nobody.
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
