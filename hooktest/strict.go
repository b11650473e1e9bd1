package hooktest

import (
	"context"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Strict makes every handler that is registered with the engine from now on work
// on a copy of its event, and fails the test if it edits the copy: a handler
// must return a changed payload instead. The failure names the hook. Neither
// later hooks nor the caller ever see the edit.
//
// What a handler edits after it has returned is not seen.
func Strict(t testing.TB, e *hook.Engine) {
	t.Helper()
	s := &strict{t: t}
	t.Cleanup(s.finish)
	e.Wrap(func(h hook.Hook, next hook.Handler) hook.Handler {
		return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			own := ev.Clone()
			d, err := next.Handle(ctx, own)
			if what := edited(ev, own); what != "" {
				s.errorf("hook %q edited %s of its %s event; it must return a new payload (hook.Change), and may edit what ev.Clone() gives", h.ID, what, ev.Info().Name)
			}
			return d, err
		})
	})
}

// strict reports to a test as long as it runs: hooks of the observe lane may
// still be at work when it is over.
type strict struct {
	mu   sync.Mutex
	t    testing.TB
	over bool
}

func (s *strict) errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.t.Errorf(format, args...)
	}
}

func (s *strict) finish() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}
