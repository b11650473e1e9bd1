//go:build unix

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// TestHooksInTheBackgroundAreHeardLater: what they say is told with the next event that
// takes text; one that wakes its agent has it go on, once.
func TestHooksInTheBackgroundAreHeardLater(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo 'the build is red' >&2; exit 2", "asyncRewake": true, "rewakeMessage": "From the watcher:"}]},
  {"matcher": "Read", "hooks": [{"type": "command", "command": "echo '{\"systemMessage\": \"note\", \"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"additionalContext\": \"more\"}}'", "async": true}]},
  {"matcher": "Write", "hooks": [{"type": "command", "command": "echo quiet >&2; exit 2", "async": true}, {"type": "command", "command": "echo quiet; exit 1", "asyncRewake": true}]}]}}`)
	set := w.load()
	w.want(set, "claude:PreToolUse:1 active, claude:PreToolUse:2 active, claude:PreToolUse:3 active, claude:PreToolUse:4 active, claude:later active")
	e := fill(t, set)
	waitFor := func(session, kind string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !disk.Exists(laters{filepath.Join(set.stateDir, "claude-later")}.path(session, kind)); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing waits for the agent")
			}
		}
	}
	stop := func() hook.Outcome[any] {
		return fireFrom(t, e, "codex", hook.AgentStop.New(hook.Envelope{}, hook.AgentResult{}))
	}
	if out := fireFrom(t, e, "codex", shellCall("ls")); out.Action != hook.ActionContinue {
		t.Errorf("it is waited for: %+v", out.Verdict)
	}
	waitFor("s", laterWake)
	if out := stop(); out.Action != hook.ActionBlock || out.Reason != "From the watcher:\nthe build is red" {
		t.Errorf("a wake at the end of a turn: %s %q", out.Action, out.Reason)
	}
	if out := stop(); out.Action != hook.ActionContinue {
		t.Errorf("it comes twice: %q", out.Reason)
	}
	fireFrom(t, e, "codex", toolCall("Write", nil)) // these say nothing, and are before what comes next
	fireFrom(t, e, "codex", toolCall("Read", nil))
	waitFor("s", laterText)
	if out := stop(); out.Action != hook.ActionContinue {
		t.Errorf("a note is no wake: %q", out.Reason)
	}
	if out := fireFrom(t, e, "codex", hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "hi"})); out.Inject != "note\nmore" {
		t.Errorf("with the next prompt: %q", out.Inject)
	}
}

// TestOnlyTheOldestTextGivesRoom: those of sessions that live stay.
func TestOnlyTheOldestTextGivesRoom(t *testing.T) {
	l := laters{filepath.Join(t.TempDir(), "later")}
	for i := range maxLaterFiles {
		if err := l.add(fmt.Sprint(i), laterText, "hello"); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(l.path(fmt.Sprint(i), laterText), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, session := range []string{"7", "new"} { // the first has a file already
		if err := l.add(session, laterText, "more"); err != nil {
			t.Fatal(err)
		}
	}
	for session, want := range map[string]string{"0": "", "1": "hello", "7": "hello\n\nmore", "255": "hello", "new": "more"} {
		if got := l.take(session, laterText); got != want {
			t.Errorf("%s: %q, want %q", session, got, want)
		}
	}
}

// TestNoTextIsLostBetweenTwo: the lock of the files is one that another process has, too.
func TestNoTextIsLostBetweenTwo(t *testing.T) {
	l := laters{filepath.Join(t.TempDir(), "later")}
	if err := l.add("s", laterText, "first"); err != nil {
		t.Fatal(err)
	}
	unlock, err := trust.LockFile(l.dir + ".lock") // as another process would
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(l.path("s", laterText), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var taken string
	var wait sync.WaitGroup
	wait.Go(func() { taken = l.take("s", laterText) })
	if _, err := f.WriteString("second\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	unlock()
	wait.Wait()
	if all := taken + l.take("s", laterText); !strings.Contains(all, "second") {
		t.Errorf("what was added is lost: %q", all)
	}
}
