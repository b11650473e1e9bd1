//go:build unix

package judge_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/wire/call"
)

// TestAWakeThatHoldsNoStopIsToldLater: of an agent whose stop cannot be refused, and of
// one that may stop because hooks made it go on too often.
func TestAWakeThatHoldsNoStopIsToldLater(t *testing.T) {
	w := newWorld(t, "import: claude\nmax_continues: 1\n")
	w.write(".claude/settings.json", `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "asyncRewake": true, "timeout": 600,
  "command": "cat >event; if grep -q wake event; then echo the build is red >&2; exit 2; fi"}]}]}}`)
	w.trust()
	_, state, err := config.Places(w.getenv)
	if err != nil {
		t.Fatal(err)
	}
	waiting := func() int {
		files, err := filepath.Glob(filepath.Join(state, "claude-later", "*.wake"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	wake := func(request *call.Request) {
		t.Helper()
		w.ask(request)
		for end := time.Now().Add(time.Minute); waiting() == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing waits for the agent")
			}
		}
	}
	ask := func(agent, event, stdin string) *call.Request {
		return &call.Request{Kind: call.KindHook, Agent: agent, Event: event, Dir: w.dir, Env: w.env, Timeout: patient, Stdin: []byte(stdin)}
	}
	prompt := func(text string) *call.Request {
		return ask("opencode", "chat.message", `{"input":{"sessionID":"s"},"output":{"message":{},"parts":[{"type":"text","text":"`+text+`"}]}}`)
	}
	wake(prompt("wake me"))
	w.want(w.ask(ask("opencode", "session.idle", `{"hook_event_name":"session.idle","session_id":"s","input":{"type":"session.idle","properties":{"sessionID":"s"}}}`)), "!red")
	if waiting() != 1 {
		t.Fatal("the text is gone")
	}
	w.want(w.ask(prompt("go on")), "the build is red")
	w.want(w.ask(prompt("and on")), "!red")

	codex := func(name string, more map[string]any) *call.Request {
		fields := map[string]any{"hook_event_name": name, "session_id": "c"}
		for key, value := range more {
			fields[key] = value
		}
		r := w.event(fields)
		r.Agent, r.Event = "codex", name
		return r
	}
	stop := func(turn string, active bool) string {
		return w.ask(codex("Stop", map[string]any{"turn_id": turn, "stop_hook_active": active, "last_assistant_message": "Done " + turn}))
	}
	wake(codex("UserPromptSubmit", map[string]any{"prompt": "wake me", "turn_id": "1"}))
	w.want(stop("1", false), "the build is red")
	wake(codex("UserPromptSubmit", map[string]any{"prompt": "wake me again", "turn_id": "2"}))
	w.want(stop("2", true), `!"decision":"block"`)
	if waiting() != 1 {
		t.Fatal("the text is gone")
	}
	w.want(w.ask(codex("UserPromptSubmit", map[string]any{"prompt": "go on", "turn_id": "3"})), "the build is red")
}
