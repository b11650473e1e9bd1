package adapter

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// terminal opens a pseudo terminal.
func terminal(t *testing.T) (program, user *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { user.Close() })
	var number, unlock int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, user.Fd(), request, uintptr(unsafe.Pointer(value))); err != 0 {
			t.Fatalf("got %v, want 0", err)
		}
	}
	program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("the terminal cannot be opened: %v", err)
	}
	t.Cleanup(func() { program.Close() })
	return program, user
}

// awaitArguments waits until the kernel tells a program's arguments: it does so a moment
// after it has closed the files that exec closes, which is what Start waits for.
func awaitArguments(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; runtime.Gosched() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || time.Now().After(end) {
			t.Fatalf("the program does not run: %v", err)
		}
		if len(line) > 0 {
			return
		}
	}
}

// TestARealAgentIsFound starts cat under the agent's name, which runs for as long
// as no user types an end.
func TestARealAgentIsFound(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	if cat, err = filepath.EvalSymlinks(cat); err != nil {
		t.Fatal(err)
	}
	tty, _ := terminal(t)
	for name, tt := range map[string]struct {
		terminal bool
		headless bool
	}{
		"attended": {terminal: true},
		"piped":    {headless: true},
	} {
		cmd := &exec.Cmd{Path: cat, Args: []string{"/opt/gemini"}}
		if tt.terminal {
			cmd.Stdin, cmd.Stdout = tty, tty
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		} else if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitArguments(t, cmd.Process.Pid)
		got := Headless(cmd.Process.Pid, "gemini")
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
		if got != tt.headless {
			t.Errorf("%s: headless is %v", name, got)
		}
	}
	if !Headless(os.Getpid(), "no-such-agent") {
		t.Error("an agent was found that is not there")
	}
}
