package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
)

// fire runs the hooks of one event and returns what they inject.
func fire[P any](ctx context.Context, s *session, point hook.Point[P], payload P) (inject string) {
	return fireIn(ctx, s, &s.env, point, payload)
}

// fireIn is fire for an event with an envelope of its own.
func fireIn[P any](ctx context.Context, s *session, env *hook.Envelope, point hook.Point[P], payload P) (inject string) {
	out, err := judgeIn(ctx, s, env, point, payload)
	if err != nil {
		return ""
	}
	return out.Inject
}

// judge runs the hooks of one event, and tells the user what they have to say to
// them. The error says that they did not finish.
func judge[P any](ctx context.Context, s *session, point hook.Point[P], payload P) (hook.Outcome[P], error) {
	return judgeIn(ctx, s, &s.env, point, payload)
}

func judgeIn[P any](ctx context.Context, s *session, env *hook.Envelope, point hook.Point[P], payload P) (hook.Outcome[P], error) {
	began := time.Now()
	ev := point.New(*env, payload)
	out, err := s.engine.Fire(hook.WithSession(ctx, s.view), ev)
	if s.record != nil && (len(out.Steps) > 0 || err != nil || s.hooks != nil && once(out.Event)) {
		s.record(ev, out, time.Since(began), err)
	}
	if out.UserMessage != "" {
		s.warnings.add(out.UserMessage)
	}
	for _, step := range out.Steps {
		if step.Err != nil {
			s.warnings.failed(step.Hook, out.Event, step.Err)
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.warnings.addf("the hooks of %s did not finish: %v", out.Event, err)
	}
	return hook.Typed[P](out), err
}

// once reports the events that are on record without a hook too, if the agent's
// own hooks put everything there.
func once(event string) bool {
	return event == hook.SessionStart.Name() || event == hook.SessionEnd.Name()
}

// interest knows for which events there are hooks, so that none are prepared
// in vain. Hooks may come and go while the session runs.
type interest struct {
	engine *hook.Engine
	stop   func()
	stale  atomic.Bool // hooks were added or removed since the last look

	mu    sync.Mutex
	every bool
	names map[string]bool
}

func newInterest(e *hook.Engine) *interest {
	i := &interest{engine: e}
	i.stale.Store(true)
	i.stop = e.Watch(func(n hook.Notice) {
		if n.Kind == hook.HookRegistered || n.Kind == hook.HookUnregistered {
			i.stale.Store(true)
		}
	})
	return i
}

func (i *interest) close() { i.stop() }

// in reports whether a hook is registered for the event.
func (i *interest) in(event interface{ Name() string }) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stale.Swap(false) {
		i.look()
	}
	return i.every || i.names[event.Name()]
}

func (i *interest) look() {
	i.every, i.names = false, map[string]bool{}
	for _, h := range i.engine.All() {
		for _, name := range h.Events {
			if name == "*" {
				i.every = true
			} else if info, err := i.engine.Lookup(name); err == nil {
				i.names[info.Name] = true
			}
		}
	}
}
