//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience is how long a test of tmux waits for what must happen.
const patience = 60 * time.Second

// tmuxHome is a folder with hookway in it, and a tmux server that only it knows.
type tmuxHome struct {
	*testing.T
	dir string
	env []string
}

func newTmuxHome(t *testing.T) *tmuxHome {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	placeSelf(t, filepath.Join(dir, "hookway"))
	s := &tmuxHome{T: t, dir: dir}
	s.env = slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "TMUX") || strings.HasPrefix(pair, "HOOKWAY_")
	})
	s.env = append(s.env, "HOME="+dir, "HOOKWAY_HOME="+filepath.Join(dir, "home"), "HOOKWAY_TRUST=1", "HOOKWAY_DAEMON=off",
		"PATH="+dir+":"+os.Getenv("PATH"), "TERM=xterm-256color", "PS1=$ ", "ENV=", "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0")
	config := filepath.Join(dir, "home", "config")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	s.write("home/config/tmux.conf", "set-option -g assume-paste-time 0\n") // who types as fast as a test pastes
	t.Cleanup(func() {
		if left, err := s.tmux("list-sessions"); err == nil && left != "" {
			t.Errorf("these sessions are left: %s", left)
			_, _ = s.tmux("kill-server")
		}
	})
	return s
}

func (s *tmuxHome) write(name, text string) {
	s.Helper()
	if err := writeProgram(filepath.Join(s.dir, name), []byte(text)); err != nil {
		s.Fatal(err)
	}
}

// tmux calls hookway's own tmux.
func (s *tmuxHome) tmux(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(s.dir, "home", "run", "tmux.sock")}, args...)...)
	cmd.Env = s.env
	said, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(said)), err
}

func (s *tmuxHome) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Path, _ = exec.LookPath(args[0])
	if args[0] == "hookway" {
		cmd.Path = filepath.Join(s.dir, "hookway")
	}
	cmd.Err = nil
	cmd.Env, cmd.Dir = s.env, s.dir
	return cmd
}

// await waits until a hook has written the text to a file.
func (s *tmuxHome) await(file, text string) {
	s.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var got []byte
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if got, _ = os.ReadFile(filepath.Join(s.dir, file)); strings.Contains(string(got), text) {
			return
		}
	}
	s.Fatalf("%s has no %q: %s", file, text, got)
}

// seat is a user at a terminal in which a program runs.
type seat struct {
	*tmuxHome
	cmd    *exec.Cmd
	pty    *os.File
	ended  chan struct{} // closed when nothing more will be shown
	exited sync.Once

	mu      sync.Mutex
	shown   []byte
	seen    int // of shown, by see
	changed chan struct{}
}

func (s *tmuxHome) sit(args ...string) *seat {
	s.Helper()
	u := &seat{tmuxHome: s, cmd: s.command(args...), ended: make(chan struct{}), changed: make(chan struct{})}
	blocking, err := pty.StartWithSize(u.cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		s.Fatal(err)
	}
	u.pty = closable(s.T, blocking)
	go func() {
		defer close(u.ended)
		buf := make([]byte, 4096)
		for {
			n, err := u.pty.Read(buf)
			u.mu.Lock()
			u.shown = append(u.shown, buf[:n]...)
			close(u.changed)
			u.changed = make(chan struct{})
			u.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	s.Cleanup(func() {
		_ = u.cmd.Process.Kill()
		u.exited.Do(func() { _ = u.cmd.Wait() })
		u.pty.Close()
		<-u.ended
	})
	return u
}

// closable is the same file, of which a read ends when it is closed.
func closable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// see waits until the terminal shows the text, after what was seen before.
func (u *seat) see(text string) {
	u.Helper()
	deadline := time.After(patience)
	for {
		u.mu.Lock()
		at := strings.Index(string(u.shown[u.seen:]), text)
		if at >= 0 {
			u.seen += at + len(text)
		}
		changed, shown := u.changed, string(u.shown[u.seen:])
		u.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			u.Fatalf("no %q is shown, but %q", text, shown)
		}
	}
}

func (u *seat) press(keys string) {
	u.Helper()
	if _, err := u.pty.WriteString(keys); err != nil {
		u.Fatal(err)
	}
}

// leaves waits for the end of the program in the terminal and wants this exit code.
func (u *seat) leaves(code int) {
	u.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		u.exited.Do(func() {
			var exit *exec.ExitError
			if err := u.cmd.Wait(); err != nil && !errors.As(err, &exit) {
				u.Error(err)
			}
		})
	}()
	select {
	case <-done:
	case <-time.After(patience):
		u.Fatalf("it does not end; shown is %q", u.shown[u.seen:])
	}
	if got := u.cmd.ProcessState.ExitCode(); got != code {
		u.Errorf("exit code %d, want %d; shown is %q", got, code, u.shown[u.seen:])
	}
}

const (
	detach = "\x02d"
	ctrlC  = "\x03"
)
