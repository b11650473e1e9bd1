package hook

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Handler decides about events. It is the whole contract of everything that can
// be a hook, in process or behind a transport:
//
//   - Handle is called from many goroutines at once, and may itself fire events
//     and add or remove hooks.
//   - It must obey the context. The context carries the deadline of the call; the
//     caller's values are in it too.
//   - It must not edit the event: other handlers see the same one. To change the
//     payload, return a new one in Decision.Modified.
//   - It returns an error only when it could not reach a decision. A refusal is a
//     decision. The hook's failure policy decides what an error means.
//   - A panic counts as an error, a *PanicError.
//
// Handlers that hold processes or connections also have Close() error. The engine
// never calls it: the code that made the handler does, after removing its hook.
// Package hooktest has the tests that every handler should pass.
type Handler interface {
	// Handle decides about one event.
	Handle(ctx context.Context, ev AnyEvent) (Decision, error)
}

// HandlerFunc is a function as a Handler, for hooks of several events or of all.
// For one event, On with a typed function is simpler.
type HandlerFunc func(ctx context.Context, ev AnyEvent) (Decision, error)

// Handle calls the function.
func (f HandlerFunc) Handle(ctx context.Context, ev AnyEvent) (Decision, error) { return f(ctx, ev) }

// Static is a Handler that always decides the same, for rules that need no code:
//
//	hook.New("no-force", hook.Static(hook.Block("use --force-with-lease")),
//		hook.For("PreToolUse"), hook.MatchCommand(`push.*--force\b`))
//
// It cannot fail or block, so it runs on the caller's goroutine in every lane.
type Static Decision

// Handle returns the decision.
func (s Static) Handle(context.Context, AnyEvent) (Decision, error) { return Decision(s), nil }

// typed is a function of one payload type as a Handler.
type typed[P any] func(context.Context, *Event[P]) (Decision, error)

func (f typed[P]) Handle(ctx context.Context, ev AnyEvent) (Decision, error) {
	e, ok := ev.(*Event[P])
	if !ok {
		return Decision{}, fmt.Errorf("the payload of %s is a %T, not a %T", ev.Info().Name, ev.Body(), *new(P))
	}
	return f(ctx, e)
}

// Defaults of a hook, as New sets them.
const (
	DefaultPriority = 100              // lower runs first
	DefaultTimeout  = 30 * time.Second // for all tries of one call together
	DefaultQueue    = 64               // events that may wait for an observe hook
)

// MaxTimeout is the longest timeout of a hook; a longer one is taken for a typing
// error and refused.
const MaxTimeout = 24 * time.Hour

// Hook is a registration: what runs, when, and how its failures are treated.
// New makes one with the defaults; a Hook written as a literal has exactly what
// it says: priority 0, no timeout. It is a value: changing a Hook after Add has
// no effect; register it again with Replace.
type Hook struct {
	// ID identifies the hook in an engine. It is in every step, notice and
	// record, so choose one that says what the hook is for.
	ID string

	// Name is what people call it; empty means its ID.
	Name string

	// Events are names or aliases; "*" is every event.
	Events []string

	// Match narrows the events down; the zero value matches all.
	Match Match

	// Lane says when the hook runs and what it may decide.
	Lane Lane

	// Priority orders the hooks of a lane: lower first, equal ones by registration.
	Priority int

	// Timeout bounds all tries of one call together; zero means no bound. A timeout
	// other than DefaultTimeout gives a transform hook a goroutine of its own, as
	// the option Timeout does.
	Timeout time.Duration

	// Retries is how often a failed handler is called again, inside the timeout.
	Retries int

	// OnFail decides what a failure means.
	OnFail Failure

	// Monitor puts the hook on trial: it is asked, and what it decides is in the step
	// as Would and has no other effect.
	Monitor bool

	// Profile has the habits of another hook system; zero is hookway's own.
	Profile Profile

	// Queue is how many events may wait for an observe hook. One more is dropped
	// and counted: see Engine.Dropped. Zero is DefaultQueue.
	Queue int

	// Root is the folder that relative path patterns start from; empty is the
	// event's CWD.
	Root string

	// Origin is the file:line the hook comes from, for listings and errors.
	Origin string

	// Builtin marks hookway's own hooks of Directive. They come before users'
	// hooks of their priority that are as specific.
	Builtin bool

	// Same names hooks that do the same: with Profile.Together, of hooks with
	// the same text one is asked. Empty is never the same.
	Same string

	// Override lets a user's hook of Directive replace the built-in ones at the
	// directives it matches.
	Override bool

	// Handler is what runs.
	Handler Handler

	ownTimeout bool // set by the option, even if to the default: see timed
}

// Option sets one field of a hook. Options are applied in order: a later one
// overrides an earlier one, and matchers of the same kind add up.
type Option func(*Hook)

// New makes a hook of any handler with the defaults and then the options:
//
//	h := hook.New("audit", hook.HandlerFunc(write), hook.For("*"), hook.As(hook.Observe))
//	err := engine.Add(h)
func New(id string, handler Handler, options ...Option) Hook {
	h := Hook{ID: id, Handler: handler, Priority: DefaultPriority, Timeout: DefaultTimeout}
	for _, set := range options {
		set(&h)
	}
	return h
}

// check finds what is wrong with a registration itself: all of it, at once.
func (h *Hook) check() error {
	var errs []error
	if h.ID == "" {
		errs = append(errs, errors.New("it has no id"))
	}
	if f, isFunc := h.Handler.(HandlerFunc); h.Handler == nil || isFunc && f == nil {
		errs = append(errs, errors.New("it has no handler"))
	}
	if len(h.Events) == 0 {
		errs = append(errs, errors.New("it names no event"))
	}
	if h.Lane > Observe {
		errs = append(errs, fmt.Errorf("there is no lane %d", h.Lane))
	}
	if h.OnFail > FailClosed {
		errs = append(errs, fmt.Errorf("there is no failure policy %d", h.OnFail))
	}
	if h.Timeout < 0 || h.Timeout > MaxTimeout {
		errs = append(errs, fmt.Errorf("timeout %v is not between 0 (none) and %v", h.Timeout, MaxTimeout))
	}
	if h.Retries < 0 || h.Retries > MaxRetries {
		errs = append(errs, fmt.Errorf("max_retries %d is not between 0 and %d", h.Retries, MaxRetries))
	}
	if h.Queue < 0 {
		errs = append(errs, fmt.Errorf("a queue of %d is impossible; zero is the default of %d", h.Queue, DefaultQueue))
	}
	return errors.Join(errs...)
}

// Closed reports whether a failure of this hook blocks: its OnFail, or by default
// whether it is a guard whose profile does not fail open.
func (h *Hook) Closed() bool {
	if h.OnFail == FailDefault {
		return h.Lane == Guard && !h.Profile.FailOpen
	}
	return h.OnFail == FailClosed
}

// timed reports whether the hook has a timeout of its own, which the engine then
// enforces: see the package comment.
func (h *Hook) timed() bool {
	return h.ownTimeout || h.Timeout != 0 && h.Timeout != DefaultTimeout
}

// order is the priority by which the chain sorts.
func (h *Hook) order() int {
	if h.Profile.HigherFirst {
		return -h.Priority
	}
	return h.Priority
}
