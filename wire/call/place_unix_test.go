//go:build unix

package call_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestWhereTheSocketIs(t *testing.T) {
	uid := strconv.Itoa(os.Getuid())
	runtime := t.TempDir()
	if len(runtime) > 70 {
		t.Skip("the folder for temporary files has too long a name here")
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"HOOKWAY_HOME", "/h/", "XDG_RUNTIME_DIR", runtime}, "/h/run/hookway.sock"},
		{[]string{"HOOKWAY_HOME", "h"}, wd + "/h/run/hookway.sock"},
		{[]string{"XDG_RUNTIME_DIR", runtime}, runtime + "/hookway/hookway.sock"},
		{[]string{"XDG_RUNTIME_DIR", "relative", "TMPDIR", "/t"}, "/t/hookway-" + uid + "/hookway.sock"},
		{[]string{"XDG_RUNTIME_DIR", runtime + "/missing"}, "/tmp/hookway-" + uid + "/hookway.sock"},
		{nil, "/tmp/hookway-" + uid + "/hookway.sock"},
	} {
		if p, err := call.Find(environment(c.env...)); p.Socket != c.want || err != nil {
			t.Errorf("%q: %q, %v; want %q", c.env, p.Socket, err, c.want)
		}
	}
	long := "/" + strings.Repeat("x", 200)
	first, err := call.Find(environment("HOOKWAY_HOME", long))
	if err != nil || len(first.Socket) >= 104 {
		t.Errorf("a long home: %q, %v", first.Socket, err)
	}
	if second, _ := call.Find(environment("HOOKWAY_HOME", long+"y")); second.Socket == first.Socket {
		t.Errorf("two homes have one socket, %s", first.Socket)
	}
}

func TestTheFolderIsTheUsersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	for range 2 { // made, and found
		if err := call.MakeDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it was made as %v, %v", info.Mode(), err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o770); err != nil { //nolint:gosec // that is the point
		t.Fatal(err)
	}
	bad := []string{link, file, open}
	if os.Getuid() != 0 { // the root folder is somebody else's
		bad = append(bad, "/")
	} else if other := t.TempDir(); os.Chmod(other, 0o700) == nil && os.Chown(other, 12345, -1) == nil { //nolint:gosec // a folder
		bad = append(bad, other)
	}
	for _, dir := range bad {
		if err := call.CheckDir(dir); !errors.Is(err, call.ErrForeign) {
			t.Errorf("%s: got %v, want errors.Is(err, call.ErrForeign)", dir, err)
		}
		if err := call.MakeDir(dir); !errors.Is(err, call.ErrForeign) {
			t.Errorf("%s made: %v", dir, err)
		}
	}
	if err := call.CheckDir(dir + "/missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing one: %v", err)
	}
}

func TestStateDir(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"HOOKWAY_HOME", "/h", "XDG_STATE_HOME", "/s"}, "/h/state"},
		{[]string{"XDG_STATE_HOME", "/s", "HOME", "/u"}, "/s/hookway"},
		{[]string{"XDG_STATE_HOME", "s", "HOME", "/u"}, "/u/.local/state/hookway"},
		{nil, ""},
	} {
		if got := call.StateDir(environment(c.env...)); got != c.want {
			t.Errorf("%q: %q, want %q", c.env, got, c.want)
		}
	}
}

func TestOneHoldsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "start.lock")
	first, err := call.TryLock(path)
	if err != nil || first == nil {
		t.Fatalf("got %v, %v, want err == nil and first != nil", first, err)
	}
	if second, err := call.TryLock(path); second != nil || err != nil {
		t.Fatalf("a second one has it: %v, %v", second, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := call.TryLock(path)
	if err != nil || third == nil {
		t.Fatalf("got %v, %v, want err == nil and third != nil", third, err)
	}
	_ = third.Close()
}

// starter starts a program that is not a daemon.
func starter(t *testing.T, script string) (s *call.Starter, starts func() int) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "hookway")
	text := "#!/bin/sh\necho \"$@\" >> " + dir + "/starts\n" + script + "\n"
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	s = &call.Starter{
		Places: call.Places{Dir: run, Lock: run + "/start.lock"}, Program: program,
		Up: func() bool { return false }, Deadline: time.Now().Add(time.Minute),
	}
	return s, func() int {
		b, _ := os.ReadFile(dir + "/starts")
		if n := strings.Count(string(b), "serve --on-demand\n"); n*len("serve --on-demand\n") == len(b) {
			return n
		}
		t.Fatalf("it was started as %q", b)
		return 0
	}
}

func TestADaemonThatDoesNotStart(t *testing.T) {
	s, starts := starter(t, "exit 1")
	if err := s.Start(); !errors.Is(err, call.ErrNotUp) {
		t.Errorf("one that ends: %v", err)
	}
	soon := time.Now().Add(time.Second) // so that a slow machine has longer
	if err := os.Chtimes(s.Places.Lock, soon, soon); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); !errors.Is(err, call.ErrFailedOnce) || starts() != 1 {
		t.Errorf("at once again: %v after %d starts", err, starts())
	}
	long := time.Now().Add(-time.Minute)
	if err := os.Chtimes(s.Places.Lock, long, long); err != nil {
		t.Fatal(err)
	}
	s.Up = func() bool { return starts() == 2 }
	if err := s.Start(); err != nil || starts() != 2 {
		t.Errorf("later: %v after %d starts", err, starts())
	}
	if info, err := os.Stat(s.Places.Lock); err != nil || info.Size() > 0 {
		t.Errorf("the failure is still marked: %v, %v", info, err)
	}
	if err := s.Start(); err != nil || starts() != 2 {
		t.Errorf("one is there: %v after %d starts", err, starts())
	}
}

func TestADaemonThatIsSlow(t *testing.T) {
	s, _ := starter(t, "cd \"${0%/*}\"; echo $$ >pid.new; mv pid.new pid; exec sleep 100") // it holds the pipe meanwhile
	t.Cleanup(func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			text, err := os.ReadFile(filepath.Dir(s.Program) + "/pid")
			if err != nil {
				continue // it is only just starting
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Error(err)
			} else if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			return
		}
		t.Error("the program never started")
	})
	s.Deadline = time.Now().Add(100 * time.Millisecond)
	if err := s.Start(); !errors.Is(err, call.ErrSlowStart) {
		t.Errorf("got %v", err)
	}
	lock, err := call.TryLock(s.Places.Lock)
	if err != nil || lock == nil {
		t.Fatalf("the lock is still held: %v", err)
	}
	defer lock.Close()
	s.Deadline = time.Now().Add(50 * time.Millisecond)
	if err := s.Start(); !errors.Is(err, call.ErrSlowStart) {
		t.Errorf("while another starts: %v", err)
	}
}
