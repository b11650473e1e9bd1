//go:build linux || darwin

package terminal

import (
	"io"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hookway/hookway/internal/eventually"
	"golang.org/x/sys/unix"
)

// userTTY is a terminal with a user at the other end: keys are written to the
// first file, and what is shown can be read from it.
func userTTY(t *testing.T) (user, tty *os.File) {
	t.Helper()
	user, tty, err := pty.Open()
	if err == nil {
		err = setSize(tty, unix.Winsize{Col: 111, Row: 33})
	}
	if err == nil {
		err = utf8Editing(tty)
	}
	if err == nil { // opening it may have made it one that blocks
		var fd int
		err = withFd(user, func(old int) (err error) {
			if fd, err = unix.FcntlInt(uintptr(old), unix.F_DUPFD_CLOEXEC, 0); err == nil {
				err = unix.SetNonblock(fd, true)
			}
			return err
		})
		user.Close()
		user = os.NewFile(uintptr(fd), user.Name())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { user.Close(); tty.Close() })
	return user, tty
}

func termios(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	var state unix.Termios
	err := withFd(f, func(fd int) error {
		s, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			state = *s
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func isRaw(s unix.Termios) bool { return s.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) == 0 }

func TestTheUsersTerminalIsRawWhileTheProgramRuns(t *testing.T) {
	user, tty := userTTY(t)
	before := termios(t, tty)
	p := start(t, Config{Command: sh(`echo ready; read -r line; echo "[$line]"`), Stdin: tty, Stdout: tty})
	await(t, p, "ready")
	if !isRaw(termios(t, tty)) {
		t.Error("not raw while the program runs")
	}
	io.WriteString(user, "from the user\r")
	await(t, p, "[from the user]")
	status(t, p)
	if after := termios(t, tty); !reflect.DeepEqual(after, before) {
		t.Errorf("not restored: %+v, before %+v", after, before)
	}
	shown := make([]byte, 1<<10)
	user.SetReadDeadline(time.Now().Add(patience))
	n, err := user.Read(shown)
	if want := "ready\r\n"; err != nil || string(shown[:min(n, len(want))]) != want {
		t.Errorf("the user saw %q, %v", shown[:n], err)
	}
}

func TestTheUsersTerminalIsRestoredWhenStartFails(t *testing.T) {
	_, tty := userTTY(t)
	before := termios(t, tty)
	if _, err := Start(t.Context(), Config{Command: []string{"/no/such/program"}, Stdin: tty}); err == nil {
		t.Fatal("no error")
	}
	if after := termios(t, tty); !reflect.DeepEqual(after, before) {
		t.Error("not restored")
	}
}

func TestTheUsersTerminalIsRestoredAfterAPanic(t *testing.T) {
	for _, name := range []string{"panic", "screenpanic"} {
		t.Run(name, func(t *testing.T) {
			_, tty := userTTY(t)
			before := termios(t, tty)
			cmd := exec.Command(os.Args[0])
			cmd.Env = self(name)
			cmd.Stdin, cmd.Stdout = tty, tty
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 {
				t.Fatalf("the program did not panic: %v", err)
			}
			if after := termios(t, tty); !reflect.DeepEqual(after, before) {
				t.Error("not restored")
			}
		})
	}
}

func TestTheSizeIsTheUsers(t *testing.T) {
	user, tty := userTTY(t)
	p := start(t, Config{Command: []string{os.Args[0]}, Env: self("size"), Stdin: tty, Stdout: tty})
	await(t, p, "111 33")
	if err := pty.Setsize(user, &pty.Winsize{Cols: 95, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), unix.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	await(t, p, "95 20")
}

func TestTheSizeWithoutATerminal(t *testing.T) {
	tests := []struct {
		env  []string
		want string
	}{
		{nil, "80 24"},
		{[]string{"COLUMNS=132", "LINES=50"}, "132 50"},
		{[]string{"COLUMNS=x", "LINES=0"}, "80 24"},
	}
	for _, tt := range tests {
		env := append(self("size"), "COLUMNS=", "LINES=")
		p := start(t, Config{Command: []string{os.Args[0]}, Env: append(env, tt.env...)})
		await(t, p, tt.want)
		p.Close()
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	run := func() {
		_, tty := userTTY(t)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		for _, stdin := range []io.Reader{nil, tty, r} {
			p := start(t, Config{Command: sh("echo ready; read line"), Stdin: stdin})
			await(t, p, "ready")
			p.Close()
			p.Close()
		}
		status(t, start(t, Config{Command: []string{"true"}, Stdin: tty}))
		r.Close()
		w.Close()
	}
	run() // the runtime's own goroutines for signals stay
	before := runtime.NumGoroutine()
	for range 10 {
		run()
	}
	eventually.Goroutines(t, before)
}
