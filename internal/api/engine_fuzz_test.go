package api

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// FuzzRegister: whatever is registered is refused with an error, or is a hook that
// an engine takes or refuses with an error; and it can be asked.
func FuzzRegister(f *testing.F) {
	for _, r := range []*hookwayv1.RegisterRequest{
		deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"PreToolUse", "*"}, Lane: "guard", Timeout: lasting(time.Second)}, &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK}),
		deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"stop"}, Match: nested(3)}, &hookwayv1.Decision{Modified: []byte(`{"a":1}`), Metadata: []byte(`{}`)}),
		deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"PreToolUse"}, Profile: "a3s", Match: &hookwayv1.Matcher{Command: []string{`rm\s`}, Path: []string{"**/*.{a,b}"}, Fields: map[string]string{"a.b": "*"}}},
			&hookwayv1.Decision{Action: hookwayv1.Action_ACTION_RETRY, RetryDelay: lasting(time.Hour)}),
	} {
		text, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := new(hookwayv1.RegisterRequest)
		if proto.Unmarshal(text, r) != nil {
			return
		}
		h, err := hookOf(r.GetHook())
		if err != nil {
			return
		}
		if h.ID == "" || len(h.ID) > maxName || len(h.Events) == 0 || h.Timeout < 0 || h.Timeout > hook.MaxTimeout {
			t.Errorf("it was taken as %+v", h)
		}
		if h.Handler, err = fixed(&h, r.GetDecision()); err != nil {
			return
		}
		var e hook.Engine
		if e.Add(h) != nil {
			return
		}
		ev := hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "rm -rf /", "file_path": "/a/b.c"}})
		if _, err := e.Fire(context.Background(), ev); err != nil {
			t.Errorf("it cannot be asked: %v", err)
		}
	})
}

// FuzzDecision: what a program answers is a decision or an error, and a block is
// a block whatever else is in it.
func FuzzDecision(f *testing.F) {
	f.Add(int32(3), "no", []byte(`{"tool_input":{"command":"ls"}}`), []byte(`1e400`), []byte(`{"env":{"A":"b"}}`), int64(1), int32(5))
	f.Add(int32(0), "", []byte(`{},"action":"allow"`), []byte(``), []byte(`[]`), int64(-1), int32(-5))
	f.Add(int32(6), "\x00", []byte(`null`), []byte(`"x"`), []byte(`{"a":`), int64(1)<<62, int32(0))
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}})
	f.Fuzz(func(t *testing.T, action int32, reason string, modified, result, metadata []byte, seconds int64, nanos int32) {
		d := &hookwayv1.Decision{Action: hookwayv1.Action(action), Reason: reason, Modified: modified, Result: result, Metadata: metadata, RetryDelay: lasting(0)}
		d.RetryDelay.Seconds, d.RetryDelay.Nanos = seconds, nanos
		got, err := decisionOf(ev, d, hook.Profile{})
		if action == int32(hook.ActionBlock) && (err != nil || got.Action != hook.ActionBlock) {
			t.Errorf("a block became %v, %v", got.Action, err)
		}
		if err == nil && int32(got.Action) != action {
			t.Errorf("action %d became %v", action, got.Action)
		}
	})
}
