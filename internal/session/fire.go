package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/directive"
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
		s.record(ctx, ev, out, time.Since(began), err)
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

// callsBound is how many directives may wait for their hooks.
const callsBound = 128

// call is an event to which the program may expect an answer.
type call struct {
	directive directive.Directive
	painted   bool          // it was read from a screen that is painted
	shown     bool          // only the terminal has shown it, no record
	idle      *hook.Silence // instead of a directive
}

// Unknown gets the namespaces of directives that no hook takes, so that a
// misspelt one can be found. The directives themselves are left alone. Note is
// called from one goroutine at a time, and later directives wait for it.
type Unknown interface {
	Note(namespace string)
}

// calls is the queue of such events. The listener puts and closes; if a record is
// followed, that puts directives and closes.
type calls struct {
	waiting chan call
	dropped atomic.Int64 // directives
}

func newCalls() *calls { return &calls{waiting: make(chan call, callsBound)} }

func (c *calls) close() { close(c.waiting) }

// putWaiting queues a call when there is room for it. It must not be called by the
// listener.
func (s *session) putWaiting(ctx context.Context, c call) {
	s.busy.Add(1)
	select {
	case s.calls.waiting <- c:
	case <-ctx.Done():
		s.busy.Add(-1)
		s.drop(c.directive, "the session ended before its turn")
	}
}

// put queues a call. The user is warned of a directive that cannot be queued,
// later ones as a number.
func (s *session) put(c call) {
	s.busy.Add(1)
	select {
	case s.calls.waiting <- c:
		return
	default:
		s.busy.Add(-1)
	}
	if c.idle == nil {
		s.drop(c.directive, "its hooks are too slow")
	}
}

func (s *session) drop(d directive.Directive, why string) {
	if s.calls.dropped.Add(1) == 1 {
		s.warnings.addf("the directive @%s:%s in line %d was dropped: %s", d.Namespace, d.Target, d.Line, why)
	}
}

// fireCalls runs the hooks of directives and idle periods in order until the
// queue is closed. After the end of ctx it drops what is left.
func (s *session) fireCalls(ctx context.Context) {
	for c := range s.calls.waiting {
		switch {
		case ctx.Err() == nil:
			s.typist.put(s.fireCall(ctx, c))
		case c.idle == nil:
			s.drop(c.directive, "the session ended before its turn")
		}
		s.busy.Add(-1)
	}
}

func (s *session) fireCall(ctx context.Context, c call) (inject string) {
	if c.idle != nil {
		return fire(ctx, s, hook.Idle, *c.idle)
	}
	d := c.directive
	if c.painted {
		var ok bool
		if d, ok = s.meant(ctx, d); !ok {
			return ""
		}
	}
	if d.Truncated && s.interest.in(hook.Directive) {
		s.warnings.addf("the directive @%s:%s in line %d was cut: it is longer than %d bytes",
			d.Namespace, d.Target, d.Line, directive.MaxBody)
	}
	payload := hook.DirectiveCall{Namespace: d.Namespace, Target: d.Target, Body: d.Body, Line: d.Raw}
	if s.unknown != nil && !s.engine.TakesDirective(&s.env, payload) {
		s.unknown.Note(d.Namespace)
	}
	if c.shown {
		return fireIn(ctx, s, &s.seen, hook.Directive, payload)
	}
	return fire(ctx, s, hook.Directive, payload)
}
