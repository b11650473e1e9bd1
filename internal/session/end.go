package session

import (
	"context"
	"time"

	"github.com/hookway/hookway/hook"
)

// lullAfter is how long a program is silent before it waits for its input, and
// not for us.
const lullAfter = time.Second

// inputEnd returns what keeps the end of the input from the program, or nil if
// there are no hooks whose text is typed to it.
func (s *session) inputEnd() func(context.Context) {
	if s.interest.in(hook.SessionStart) || s.interest.in(hook.Output) || s.interest.in(hook.Directive) ||
		s.threshold > 0 && s.interest.in(hook.Idle) {
		return s.awaitLull
	}
	return nil
}

// awaitLull waits until the hooks have nothing to say to the program.
func (s *session) awaitLull(ctx context.Context) {
	select {
	case <-s.lull:
	case <-ctx.Done():
	}
}

// offerLull ends awaitLull if the hooks have nothing to say. The listener
// calls it, so everything printed before has been handed to the hooks. They
// are asked before the clock: a text that was just typed counts as typed.
func (l *listener) offerLull() {
	if l.output.busy() || l.busy.Load() > 0 {
		return
	}
	if time.Since(l.program.LastOutput()) < lullAfter || time.Since(l.typist.lastTyped()) < lullAfter {
		return
	}
	select {
	case l.lull <- struct{}{}:
	default: // nothing waits for it
	}
}
