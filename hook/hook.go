package hook

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Handler decides about events. This is the whole contract of everything that
// can be hooked in, in process or behind a transport:
//
// Handle is called from many goroutines at once. It must obey the context, must
// not edit the event, and gives either a decision or an error, the latter only
// when it could reach no decision: a refusal is a decision. A panic is an error.
type Handler interface {
	Handle(ctx context.Context, ev AnyEvent) (Decision, error)
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(ctx context.Context, ev AnyEvent) (Decision, error)

// Handle calls the function.
func (f HandlerFunc) Handle(ctx context.Context, ev AnyEvent) (Decision, error) { return f(ctx, ev) }

// Static is a Handler that always decides the same, for rules that need no code.
type Static Decision

// Handle gives the decision.
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

// Defaults of a hook.
const (
	DefaultPriority = 100
	DefaultTimeout  = 30 * time.Second
	DefaultQueue    = 64 // events that an observe hook may be behind
)

// MaxTimeout is the longest timeout that is taken for meant.
const MaxTimeout = 24 * time.Hour

// Hook is a registration: what runs, when, and how its failures are treated.
// New makes one with the defaults; a Hook written as a literal has exactly what
// it says: priority 0, no timeout.
type Hook struct {
	ID       string
	Name     string   // what people call it; empty: by its id
	Events   []string // names or aliases; "*" is every event
	Match    Match    // the zero value matches all
	Lane     Lane
	Priority int           // lower first
	Timeout  time.Duration // zero is none; any but DefaultTimeout isolates the hook, as the option Timeout does
	Retries  int           // further tries after a failure, inside the same timeout
	OnFail   Failure
	Profile  Profile
	Queue    int    // observe lane: bound of the queue; zero is DefaultQueue
	Root     string // folder that relative path patterns start from; empty is the event's CWD
	Origin   string // file:line it came from, for listings and errors
	Builtin  bool   // hookway's own: at a directive before the users' hooks of its priority that are as specific
	Same     string // Profile.Together: of hooks with the same text here one is asked; empty is like no other
	Override bool   // a user's hook of Directive that stands in for the built-in ones at what it matches
	Handler  Handler

	ownTimeout bool // set by the option, even if to the default: see timed
}

// Option sets one thing of a hook.
type Option func(*Hook)

// New makes a hook of any handler with the defaults and then the options.
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

// Closed reports whether a failure of this hook blocks.
func (h *Hook) Closed() bool {
	if h.OnFail == FailDefault {
		return h.Lane == Guard && !h.Profile.FailOpen
	}
	return h.OnFail == FailClosed
}

// timed reports whether the hook has a timeout of its own, so that it must be
// held to it: see the package comment.
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
