//go:build unix

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
)

func ownUID() int { return os.Geteuid() }

// clear removes the socket that a daemon left behind which was killed. The
// caller holds the lock, so that nothing listens there.
func clear(socket string) error {
	info, err := os.Lstat(socket)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != ownUID() {
		return errors.New("it belongs to another user; set HOOKWAY_HOME to a folder of your own")
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("something that is not a socket is in its place; move it away")
	}
	return os.Remove(socket)
}

func listenSocket(socket string) (net.Listener, error) {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	// The folder is closed to others, so that nothing could connect before this.
	if err := os.Chmod(socket, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// dialSocket connects to a daemon of this user, and to no other's.
func dialSocket(ctx context.Context, socket string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	peer, err := peerOf(c)
	if err == nil && peer.UID != ownUID() {
		err = fmt.Errorf("%s is served by user %d, not by you (%d)", socket, peer.UID, ownUID())
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// control asks the system about the socket of a connection.
func control(nc net.Conn, ask func(fd int) error) error {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return fmt.Errorf("%T is not a socket", nc)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	var asked error
	if err := raw.Control(func(fd uintptr) { asked = ask(int(fd)) }); err != nil {
		return err
	}
	return asked
}
