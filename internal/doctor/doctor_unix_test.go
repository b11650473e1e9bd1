//go:build unix

package doctor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/procgroup"
	"github.com/hookway/hookway/wire/call"
)

func TestFoldersOfOthers(t *testing.T) {
	dir := t.TempDir()
	c := &Checkup{state: filepath.Join(dir, "state"), places: call.Places{Dir: filepath.Join(dir, "run")}, Now: now}
	for _, folder := range []string{c.state, c.places.Dir, c.auditDir()} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		folder, says, mend string
		mode               os.FileMode
		level              Level
	}{
		{c.state, "can be written by others", "chmod 700 " + c.state, 0o722, Failure},
		{c.state, "is open to others, who can read", "chmod 700 " + c.state, 0o755, Warning},
		{c.auditDir(), "the audit records in", "chmod 700 " + c.auditDir(), 0o750, Warning},
		{c.places.Dir, "no daemon is asked", "close it with chmod 700", 0o755, Failure},
	} {
		if err := os.Chmod(step.folder, step.mode); err != nil {
			t.Fatal(err)
		}
		s := c.folders()
		if f := s.find(t, step.says); f.Level != step.level || f.Mend != step.mend {
			t.Errorf("%s with mode %o: %+v", step.folder, step.mode, f)
		}
		if err := os.Chmod(step.folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAStartThatFailed is reported for as long as it is news.
func TestAStartThatFailed(t *testing.T) {
	dir := t.TempDir()
	c := &Checkup{
		Getenv: func(string) string { return "" }, state: dir, Now: time.Now(),
		places: call.Places{Dir: dir, Socket: filepath.Join(dir, "none.sock"), Lock: filepath.Join(dir, "start.lock")},
	}
	for text, want := range map[string]int{"": 1, "failed\n": 2} {
		if err := os.WriteFile(c.places.Lock, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s := c.daemon(t.Context()); len(s.Findings) != want || s.Findings[want-1].Level == Failure {
			t.Errorf("with %q in the lock: %+v", text, s.Findings)
		}
	}
	c.Now = c.Now.Add(2 * recent)
	if s := c.daemon(t.Context()); len(s.Findings) != 1 {
		t.Errorf("what is old is reported: %+v", s.Findings)
	}
}

// TestFullDisk writes to a disk that is full.
func TestFullDisk(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer f.Close()
	_, err = f.WriteString("x")
	if got := mendWrite(err, "/somewhere"); !strings.Contains(got, "the disk is full") {
		t.Errorf("%v: %s", err, got)
	}
	if got := mendWrite(os.ErrPermission, "/somewhere"); !strings.Contains(got, "the right to write into /somewhere") {
		t.Error(got)
	}
}

// TestNothingOutlivesARun: what a program leaves behind in its group is ended,
// when it ends by itself and when its time is over.
func TestNothingOutlivesARun(t *testing.T) {
	for script, limit := range map[string]time.Duration{
		"sleep 1000 >/dev/null 2>&1 & echo done":    time.Minute,
		"trap '' TERM; sleep 1000 & wait; sleep 10": 50 * time.Millisecond,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
		var out limited
		cmd.Stdout = &out
		_ = runGroup(cmd)
		cancel()
		deadline := time.Now().Add(time.Minute)
		for procgroup.Populated(cmd.Process.Pid) { // killed, and soon gone
			if time.Now().After(deadline) {
				t.Fatalf("%s: the group still runs", script)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// TestTwoVersions builds the module's name twice, and puts both into PATH.
func TestTwoVersions(t *testing.T) {
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	src, bin := t.TempDir(), t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = src
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	for name, text := range map[string]string{"go.mod": "module " + module + "\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("git", "init", "-q")
	run("git", "add", ".")
	run("git", "-c", "user.name=n", "-c", "user.email=e@localhost", "commit", "-qm", "m")
	run("go", "build", "-buildvcs=false", "-o", filepath.Join(bin, "a", "hookway"), ".")
	run("go", "build", "-buildvcs=false", "-o", filepath.Join(bin, "a", "hookway-hook"), ".")
	run("go", "build", "-buildvcs=true", "-o", filepath.Join(bin, "b", "hookway-hook"), ".")

	path := filepath.Join(bin, "a") + ":" + filepath.Join(bin, "b") + ":" + filepath.Join(bin, "a")
	c := &Checkup{
		Getenv:     func(name string) string { return map[string]string{"PATH": path}[name] },
		Executable: filepath.Join(bin, "a", "hookway"), shim: filepath.Join(bin, "a", "hookway-hook"),
	}
	s := c.programs()
	if f := s.find(t, "2 versions of hookway-hook"); f.Level != Warning || !strings.Contains(f.Text, filepath.Join(bin, "b")) {
		t.Errorf("%+v", f)
	}
	if f := s.find(t, "hookway-hook devel, "+c.shim); f.Level != OK {
		t.Errorf("%+v", f)
	}
	c.shim = filepath.Join(bin, "b", "hookway-hook")
	s = c.programs()
	if f := s.find(t, "is of another version"); f.Level != Warning || f.Mend == "" {
		t.Errorf("%+v", f)
	}
}
