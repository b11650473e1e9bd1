//go:build unix

package config

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/disk"
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
		for end := time.Now().Add(time.Minute); !disk.Exists(claudehooks.Texts{Dir: filepath.Join(set.stateDir, "claude-later")}.Path(session, kind)); time.Sleep(time.Millisecond) {
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
	waitFor("s", claudehooks.ForStop)
	if out := stop(); out.Action != hook.ActionBlock || out.Reason != "From the watcher:\nthe build is red" {
		t.Errorf("a wake at the end of a turn: %s %q", out.Action, out.Reason)
	}
	if out := stop(); out.Action != hook.ActionContinue {
		t.Errorf("it comes twice: %q", out.Reason)
	}
	fireFrom(t, e, "codex", toolCall("Write", nil)) // these say nothing, and are before what comes next
	fireFrom(t, e, "codex", toolCall("Read", nil))
	waitFor("s", claudehooks.ForNextEvent)
	if out := stop(); out.Action != hook.ActionContinue {
		t.Errorf("a note is no wake: %q", out.Reason)
	}
	if out := fireFrom(t, e, "codex", hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "hi"})); out.Inject != "note\nmore" {
		t.Errorf("with the next prompt: %q", out.Inject)
	}
}
