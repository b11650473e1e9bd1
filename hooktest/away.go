package hooktest

import (
	"errors"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Away checks that a handler without a server or process says so with
// hook.Unreachable: after a few events its circuit opens.
func Away(t testing.TB, h hook.Handler) {
	t.Helper()
	var engine hook.Engine
	if err := engine.Add(hook.New("away", h, hook.For("PreToolUse"))); err != nil {
		t.Fatal(err)
	}
	var last error
	for range 20 {
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				out, err := engine.Fire(t.Context(), hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}}))
				if err == nil {
					err = out.Steps[0].Err
				}
				mu.Lock()
				defer mu.Unlock()
				if !errors.Is(last, hook.ErrCircuitOpen) {
					last = err
				}
			})
		}
		all.Wait()
		if errors.Is(last, hook.ErrCircuitOpen) {
			return
		}
	}
	t.Errorf("after 100 events it is still asked: %v", last)
}
