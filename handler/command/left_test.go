//go:build unix

package command

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/procgroup"
)

// claudes is a handler of a hook of Claude Code's.
func claudes(t *testing.T, body string) *Handler {
	return newHandler(t, Config{Argv: []string{script(t, body)}, Profile: hook.ProfileClaude})
}

// alive reports whether a process runs.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestWhatAHookOfClaudeCodeLeavesBehindLivesOn(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	h := claudes(t, "sleep 600 & echo $! > "+pids+"\nexit 0")
	if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	pid := readPID(t, pids)
	defer syscall.Kill(pid, syscall.SIGKILL)
	if !alive(pid) || procgroup.Left() == 0 {
		t.Errorf("it was ended; %d are counted", procgroup.Left())
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	eventually.True(t, "it is not counted any more", func() bool { return procgroup.Left() == 0 })
}

func TestATimeoutEndsWhatAHookOfClaudeCodeBegan(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	var e hook.Engine
	h := claudes(t, "sleep 600 & echo $! > "+pids+"; exec sleep 600")
	if err := e.Add(hook.New("slow", h, hook.For("PreToolUse"), hook.WithProfile(hook.ProfileClaude), hook.Timeout(time.Second))); err != nil {
		t.Fatal(err)
	}
	_, _ = e.Fire(t.Context(), bash("ls")) // it runs out of time
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pids); err != nil {
		t.Skip("it did not come so far")
	}
	pid := readPID(t, pids)
	eventually.True(t, "the group is gone", func() bool { return !alive(pid) || !procgroup.Populated(pid) })
}

func TestAHookThatSaysSoGoesOnInTheBackground(t *testing.T) {
	dir := t.TempDir()
	first, gate, done := filepath.Join(dir, "pid"), filepath.Join(dir, "gate"), filepath.Join(dir, "done")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	h := claudes(t, `echo '{"async": true, "asyncTimeout": 600000}'; echo $$ > `+first+`; read x < `+gate+`; echo more; echo $x > `+done+`; exit 2`)
	d, err := h.Handle(t.Context(), bash("ls")) // comes back while it waits
	if err != nil || d.Action != hook.ActionContinue {
		t.Fatalf("got %+v, %v, want err == nil and d.Action == hook.ActionContinue", d, err)
	}
	if err := os.WriteFile(gate, []byte("7\n"), 0); err != nil {
		t.Fatal(err)
	}
	if got := readPID(t, done); got != 7 {
		t.Errorf("it read %d", got)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	eventually.True(t, "it is not counted any more", func() bool { return procgroup.Left() == 0 })
}

func TestTheFirstLineThatSaysAsync(t *testing.T) {
	for text, want := range map[string]bool{
		`{"async":true}`: true, "{\"async\": true}\nlater {": true, "\n {\"async\":true, \"x\": 1}\n": true,
		`{"async":false}`: false, `{"decision":"block"}`: false, "text\n{\"async\":true}": false, `{"async":tr`: false, "": false,
	} {
		if _, ok := background([]byte(text)); ok != want {
			t.Errorf("%q: got %t, want %t", text, ok, want)
		}
	}
}
