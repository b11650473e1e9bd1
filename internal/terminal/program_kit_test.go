//go:build linux || darwin

package terminal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func init() {
	// wrap runs its arguments as hookway run does, and ends as they do.
	programs["wrap"] = func() {
		if os.Getenv("TERMINAL_TEST_PID") != "" {
			fmt.Printf("wrapper %d\n", os.Getpid())
		}
		env := append(os.Environ(), "TERMINAL_TEST_PROGRAM="+os.Getenv("TERMINAL_TEST_INNER"))
		p, err := Start(context.Background(), Config{Command: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Env: env, Grace: 500 * time.Millisecond})
		if err != nil {
			panic(err)
		}
		defer p.Close()
		for err = nil; err != io.EOF; {
			_, err = p.Next(context.Background(), 0)
		}
		s, err := p.Wait()
		if file := os.Getenv("TERMINAL_TEST_PEAK"); file != "" {
			if err := os.WriteFile(file, fmt.Append(nil, peak()), 0o600); err != nil {
				panic(err)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "wrap:", err)
		}
		os.Exit(s.Code)
	}
}

// peak is the most memory that this process has held, in KiB; 0 if the system
// does not tell.
func peak() (kib int) {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib
		}
	}
	return 0
}

// desk is a terminal with a user before it, and a first process in its session.
type desk struct {
	t    *testing.T
	user *os.File // the user's end
	tty  *os.File // the other, to ask it for its settings
	cmd  *exec.Cmd

	before unix.Termios // the terminal's settings when nothing had run in it

	mu      sync.Mutex
	shown   bytes.Buffer
	passed  int           // what earlier calls of see have gone past
	changed chan struct{} // closed when more is shown
	gone    bool
}

// sit starts a process as the first of a terminal's session, as a terminal
// program does. Its environment makes the test binary a wrapper.
func sit(t *testing.T, env []string, argv ...string) *desk {
	t.Helper()
	user, tty := userTTY(t)
	d := &desk{t: t, user: user, tty: tty, before: termios(t, tty), changed: make(chan struct{})}
	d.cmd = exec.Command(argv[0], argv[1:]...)
	d.cmd.Env = append(append(self("wrap"), "TERMINAL_TEST_PID=1", "SELF="+os.Args[0], "PS1=prompt> ", "HISTFILE=", "TERM=xterm-256color"), env...)
	var stdio *os.File // its descriptor is made blocking, which those of the test must not be
	if err := withFd(tty, func(int) (err error) { stdio, err = os.OpenFile(tty.Name(), os.O_RDWR|unix.O_NOCTTY, 0); return err }); err != nil {
		t.Fatal(err)
	}
	d.cmd.Stdin, d.cmd.Stdout, d.cmd.Stderr = stdio, stdio, stdio
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdio.Close()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = d.cmd.Wait()
	}()
	go d.watch()
	t.Cleanup(func() {
		_ = syscall.Kill(-d.cmd.Process.Pid, unix.SIGKILL)
		<-over
	})
	return d
}

func (d *desk) watch() {
	buf := make([]byte, 64<<10)
	for {
		n, err := d.user.Read(buf)
		d.mu.Lock()
		d.shown.Write(buf[:n])
		d.gone = err != nil
		close(d.changed)
		d.changed = make(chan struct{})
		d.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// keys types.
func (d *desk) keys(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.user, text); err != nil {
		d.t.Fatal(err)
	}
}

// see waits until text is shown, after what was seen before, and returns all
// between the two.
func (d *desk) see(text string) string {
	d.t.Helper()
	limit := time.After(patience / 2)
	for {
		d.mu.Lock()
		rest := d.shown.String()[d.passed:]
		i, changed, gone := strings.Index(rest, text), d.changed, d.gone
		if i >= 0 {
			d.passed += i + len(text)
		}
		d.mu.Unlock()
		if i >= 0 {
			return rest[:i]
		}
		if gone {
			d.t.Fatalf("the terminal is gone; %q was never shown, but %.2000q", text, rest)
		}
		select {
		case <-changed:
		case <-limit:
			d.t.Fatalf("%q was never shown, but %.2000q", text, rest)
		}
	}
}

// number reads what is shown after a word.
func (d *desk) number(word string) (n int) {
	d.t.Helper()
	d.see(word + " ")
	if _, err := fmt.Sscan(d.see("\r\n"), &n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// interactive is a shell with job control, as people have it.
func interactive(t *testing.T) []string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	return []string{path, "--norc", "--noprofile", "-i"}
}

// stopped reports whether a process is stopped.
func stopped(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(pid)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T")
}

func (d *desk) resize(cols, rows int) {
	d.t.Helper()
	if err := pty.Setsize(d.user, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		d.t.Fatal(err)
	}
}
