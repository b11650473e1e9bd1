//go:build linux || darwin

package roster

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
)

// listen makes a socket that only its user may connect to. The folder is closed
// to others, so that no connection could come before that.
func listen(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // the entry's remove does it
	return l, nil
}

// dial connects to a session of this user only.
func dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := checkPeer(c); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// checkPeer refuses a process of another user.
func checkPeer(c net.Conn) error {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var asked error
	if err := raw.Control(func(fd uintptr) { uid, asked = peer(int(fd)) }); err != nil {
		return err
	}
	if asked != nil {
		return fmt.Errorf("the system does not say who is at the other end: %w", asked)
	}
	if uid != os.Geteuid() {
		return fmt.Errorf("user %d is at the other end, not you (%d)", uid, os.Geteuid())
	}
	return nil
}
