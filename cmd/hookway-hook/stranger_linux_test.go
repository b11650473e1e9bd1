package main

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hookway/hookway/wire/call"
)

// Only the user may listen at the user's own socket.
func TestAStrangersSocketIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	t.Parallel()
	w := newWorld(t)
	if err := call.MakeDir(filepath.Join(w.home, "run")); err != nil {
		t.Fatal(err)
	}
	l := listenAs(t, filepath.Join(w.home, "run", "hookway.sock"), 65534)
	go serve(l, func(conn net.Conn, _ *call.Request) {
		_ = call.WriteReply(conn, &call.Reply{Stdout: []byte("{}")})
	})
	if r := w.run(event, claude...); !strings.Contains(r.stdout, denied) {
		t.Errorf("a stranger answered: %+v", r)
	}
	if log := w.log(); !strings.Contains(log, "another user listens there") {
		t.Errorf("it is not said why: %s", log)
	}
}

// listenAs listens as another user: on Linux each thread is somebody.
func listenAs(t *testing.T, socket string, uid int) net.Listener {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		same := ^uintptr(0)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, uintptr(uid), same); errno != 0 { //nolint:gosec // a number of a user
			done <- errno
			return
		}
		done <- syscall.Listen(fd, 8)
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), socket) //nolint:gosec // a descriptor
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}
