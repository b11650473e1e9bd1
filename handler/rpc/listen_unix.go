//go:build unix

package rpc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// listenUnix makes a socket to which no other user can connect, not even for a moment:
// it gets its place when it has its mode.
func listenUnix(path string) (net.Listener, error) {
	if err := vacate(path); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".h")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	first := filepath.Join(dir, "s")
	l, err := net.ListenUnix(unix, &net.UnixAddr{Name: first, Net: unix})
	if err != nil {
		return nil, fmt.Errorf("%s: %w; a path may have about 90 bytes", path, err)
	}
	l.SetUnlinkOnClose(false)
	err = os.Chmod(first, 0o600)
	if err == nil {
		err = os.Rename(first, path)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Lstat(path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &socket{UnixListener: l, path: path, info: info}, nil
}

// vacate takes away a socket without a listener.
func vacate(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is there and is not a socket; choose another path", path)
	}
	if conn, err := net.Dial(unix, path); err == nil {
		return errors.Join(fmt.Errorf("%s: another server listens there", path), conn.Close())
	}
	return os.Remove(path)
}

// socket takes its path away when it is closed, if it is still its own.
type socket struct {
	*net.UnixListener
	path string
	info fs.FileInfo
	once sync.Once
}

// Addr is where clients connect to.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: unix} }

// Close ends the listener.
func (s *socket) Close() error {
	s.once.Do(func() {
		if info, err := os.Lstat(s.path); err == nil && os.SameFile(info, s.info) {
			_ = os.Remove(s.path) // the next server would replace it anyhow
		}
	})
	return s.UnixListener.Close()
}
