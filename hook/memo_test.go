package hook_test

import (
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestAMemoWhoseMakingPanickedIsAnErrorForTheNext(t *testing.T) {
	ev := hook.PreToolUse.New(hook.Envelope{}, bash("ls"))
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("panicked with %v", p)
			}
		}()
		_, _ = ev.Memo(func(hook.AnyEvent) (any, error) { panic("boom") })
	}()
	if value, err := ev.Memo(func(hook.AnyEvent) (any, error) { return 1, nil }); err == nil || value != nil {
		t.Errorf("got %v, %v; want an error", value, err)
	}
}
