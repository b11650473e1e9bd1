package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
)

// TestHooksThatWereNotAsked: after five calls that found no server or process, the record
// and the report say of each hook that it was not asked, and what came of that.
func TestHooksThatWereNotAsked(t *testing.T) {
	var engine hook.Engine
	away := hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{}, hook.Unreachable(errors.New("nobody is there"))
	})
	for id, policy := range map[string]hook.Failure{"open": hook.FailOpen, "shut": hook.FailClosed} {
		if err := engine.Add(hook.New(id, away, hook.For("PreToolUse"), hook.As(hook.Guard), hook.OnFailure(policy))); err != nil {
			t.Fatal(err)
		}
	}
	failed, degraded := tally{}, tally{}
	for range 30 { // most of them while the circuit is open
		ev := hook.PreToolUse.New(hook.Envelope{Agent: "claude"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}})
		out, err := engine.Fire(t.Context(), ev)
		if err != nil {
			t.Fatal(err)
		}
		r := audit.FromOutcome(ev, &out, time.Millisecond)
		note(&r, failed, degraded)
	}
	var lines []string
	for _, h := range failed.newest() {
		lines = append(lines, h.what)
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		"claude PreToolUse: hook open failed: nobody is there",
		"claude PreToolUse: hook open was not asked: 5 calls in a row ran out of time, or found no server or process",
		"its failures do not block, so the call went on without it",
		"claude PreToolUse: hook shut was not asked: 5 calls",
		"its failures block, so the call did not pass",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}
