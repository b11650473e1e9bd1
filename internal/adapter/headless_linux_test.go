package adapter

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
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
			t.Fatal(err)
		}
	}
	program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("the terminal cannot be opened: %v", err)
	}
	t.Cleanup(func() { program.Close() })
	return program, user
}

// TestARealAgentIsFound starts cat under the agent's name, which runs for as long
// as nobody types an end.
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
