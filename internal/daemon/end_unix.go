//go:build unix

package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// serverOf is the process that listens at the other end.
func serverOf(nc net.Conn) (int, error) {
	peer, err := peerOf(nc)
	return peer.PID, err
}

// terminate tells a process to end, also one that was stopped.
func terminate(p *os.Process) error {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = p.Signal(syscall.SIGCONT) // it may be gone by now
	return nil
}

// serves makes certain that a process is the daemon: it is this user's, and has
// the lock, which somebody holds.
func serves(pid int, lock string, _ net.Conn) error {
	if !locked(lock) {
		return errors.New("no process holds its lock")
	}
	uid, err := userOf(pid)
	if err != nil {
		return err
	}
	if uid != ownUID() {
		return fmt.Errorf("it is a process of user %d", uid)
	}
	return holds(pid, lock)
}
