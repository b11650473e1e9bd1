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
		if h.ID == "" || len(h.ID) > maxName || len(h.Events) == 0 {
			t.Errorf("it was taken as %+v", h)
		} else if h.Timeout < 0 || h.Timeout > hook.MaxTimeout {
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
