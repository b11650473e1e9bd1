package wasm

import (
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// TestTheTimeOfAModuleIsThatOfTheEvent: it finds the past's, and otherwise the clock's.
func TestTheTimeOfAModuleIsThatOfTheEvent(t *testing.T) {
	m, cache := goGuest(t)
	for _, past := range []bool{true, false} {
		h := New(m, Config{Past: past, Cache: cache, Env: []string{`HOOKWAY_EXAM={"kind":"obeys"}`}})
		for _, at := range []time.Time{time.Date(2031, 5, 6, 7, 8, 0, 0, time.UTC), time.Date(2032, 5, 6, 7, 8, 0, 0, time.UTC)} {
			ev := hook.PreToolUse.New(hook.Envelope{Session: "s", Mark: &hook.Mark{ID: hook.ID{1}, Time: at}}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"do": "see", "see": "time"}})
			d, err := h.Handle(t.Context(), ev)
			if want := at.Format("2006-01-02 15:04"); err != nil || (d.Inject == want) != past {
				t.Errorf("past %t: got %q, %v at %s", past, d.Inject, err, want)
			}
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
