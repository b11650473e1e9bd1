package agenterr

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestMain is the agent, when it is asked to: it calls a hook through a shell, which
// says its process and waits.
func TestMain(m *testing.M) {
	if os.Getenv("AGENTERR_AGENT") == "" {
		os.Exit(m.Run())
	}
	hook := exec.Command("sh", "-c", "echo $$; read -r end; :")
	hook.Stdin, hook.Stdout = os.Stdin, os.Stdout
	if err := hook.Run(); err != nil {
		os.Exit(1)
	}
}

// agent starts one with an error output, and gives the process of its hook.
func agent(t *testing.T, stderr *os.File) int {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "AGENTERR_AGENT=1", "GORACE=atexit_sleep_ms=0") // by default a second for each process
	c.Stderr = stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestALineReachesTheAgentsErrorOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "err")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Tell(agent(t, file), "to a file"); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "to a file\n" {
		t.Errorf("got %q %v, want string(got) == \"to a file\\n\"", got, err)
	}
	if err := Tell(agent(t, w), strings.Repeat("x", 1000)); err != nil {
		t.Error(err)
	}
	w.Close()
	if got, err := bufio.NewReader(r).ReadString('\n'); len(got) != maxLine {
		t.Errorf("got %q %v, want len(got) == maxLine", got, err)
	}
}

func TestWhatMayNotBeWrittenToIsLeftAlone(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	path := filepath.Join(t.TempDir(), "err")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	r, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer full.Close()
	fd := int(full.Fd()) // which makes it one that waits
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = syscall.Write(fd, make([]byte, 4096))
	}
	for name, f := range map[string]*os.File{"the null device": null, "a file that is only read": readOnly, "a pipe that is full": full} {
		if err := Tell(agent(t, f), "no"); !errors.Is(err, ErrNone) {
			t.Errorf("%s: got %v, want errors.Is(err, ErrNone)", name, err)
		}
	}
	if err := Tell(0, "no"); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want errors.Is(err, ErrNone)", err)
	}
}
