package hooktest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// limits are the times that the exam holds handlers to.
type limits struct {
	deadline time.Duration // of a call that is to hang; it must have begun by then
	prompt   time.Duration // to return when the context has ended
	patience time.Duration // to answer at all
	cleanup  time.Duration // to close, and to leave nothing behind
}

// generous limits are far above what is needed, so that a busy machine does not
// fail an honest handler.
var generous = limits{deadline: 2 * time.Second, prompt: 5 * time.Second, patience: time.Minute, cleanup: 30 * time.Second}

// TestHandler examines one kind of handler. For each case it has makeHandler make
// a handler whose far side shows the behaviour, and checks the contract of
// hook.Handler and of package wire's answers on it; a failure quotes the rule that was
// broken. A handler with a Close method is closed afterwards. When the case and
// its clean-ups are over, no goroutine may be left that was not there before.
//
// makeHandler gives Impossible for what its kind cannot do.
func TestHandler(t *testing.T, makeHandler func(t *testing.T, behaviour Behaviour) hook.Handler) {
	cases := examCases()
	var cannot int
	for _, c := range cases {
		before := runtime.NumGoroutine()
		passed := t.Run(c.name, func(t *testing.T) {
			w, err := newProbe()
			if err != nil {
				t.Fatalf("the exam cannot listen on the loopback: %v", err)
			}
			t.Cleanup(w.close)
			b := c.behaviour
			b.Case, b.Probe = c.name, w.address()
			h := makeHandler(t, b)
			if no, ok := h.(impossible); ok {
				cannot++
				t.Logf("impossible for this kind: %s", no.reason)
				return
			}
			if err := errors.Join(c.examine(h, w, generous), closeHandler(h, generous)); err != nil {
				t.Errorf("%v\nthe rule: %s", err, c.rule)
			}
		})
		if err := goroutinesBackTo(before, generous); err != nil && passed {
			t.Errorf("%s: %v\nthe rule: %s", c.name, err, leaveNothing)
		}
	}
	t.Logf("%d cases, %d of them impossible for this kind", len(cases), cannot)
}

const leaveNothing = "Every goroutine ends: a closed handler leaves nothing behind."

// examine runs one case on a handler.
func (c *examCase) examine(h hook.Handler, w *probe, l limits) error {
	return c.check(&attempt{handler: h, probe: w, limits: l})
}

// closeHandler closes what can be closed, twice: the second time must be harmless.
func closeHandler(h hook.Handler, l limits) error {
	closer, ok := h.(interface{ Close() error })
	if !ok {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(closer.Close(), closer.Close()) }()
	t := time.NewTimer(l.cleanup)
	defer t.Stop()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("closing the handler: %w", err)
		}
		return nil
	case <-t.C:
		return fmt.Errorf("closing the handler took more than %v", l.cleanup)
	}
}

// goroutinesBackTo waits until there are no more goroutines than there were.
func goroutinesBackTo(before int, l limits) error {
	deadline := time.NewTimer(l.cleanup)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for runtime.NumGoroutine() > before {
		select {
		case <-tick.C:
		case <-deadline.C:
			stacks := make([]byte, 64<<10)
			stacks = stacks[:runtime.Stack(stacks, true)]
			return fmt.Errorf("%d goroutines are left of %d before:\n%s", runtime.NumGoroutine(), before, stacks)
		}
	}
	return nil
}

// attempt is one handler under examination.
type attempt struct {
	handler hook.Handler
	probe   *probe
	limits  limits
}

// ask calls the handler with a deadline, and checks what holds for every call:
// it returns in time, does not panic and leaves the event as it is.
func (a *attempt) ask(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error, error) {
	type reply struct {
		decision hook.Decision
		err      error
		broken   error
	}
	before := ev.Clone()
	ctx, cancel := context.WithTimeout(ctx, a.limits.patience)
	defer cancel()
	replies := make(chan reply, 1)
	go func() {
		var r reply
		defer func() {
			if p := recover(); p != nil {
				r.broken = fmt.Errorf("it panicked: %v", p)
			}
			replies <- r
		}()
		r.decision, r.err = a.handler.Handle(ctx, ev)
	}()
	select {
	case r := <-replies:
		if what := edited(before, ev); what != "" {
			return r.decision, r.err, fmt.Errorf("it edited %s of the event that it was given", what)
		}
		return r.decision, r.err, r.broken
	case <-ctx.Done():
	}
	t := time.NewTimer(a.limits.prompt)
	defer t.Stop()
	select {
	case r := <-replies:
		return r.decision, r.err, r.broken
	case <-t.C:
		return hook.Decision{}, nil, fmt.Errorf("it had not returned %v after its context had ended", a.limits.prompt)
	}
}

// decide asks and wants a decision.
func (a *attempt) decide(ev hook.AnyEvent) (hook.Decision, error) {
	d, err, broken := a.ask(context.Background(), ev)
	if broken != nil {
		return d, broken
	}
	if err != nil {
		return d, fmt.Errorf("it failed instead of deciding: %w", err)
	}
	return d, nil
}

// fail asks and wants an error.
func (a *attempt) fail(ev hook.AnyEvent) error {
	d, err, broken := a.ask(context.Background(), ev)
	switch {
	case broken != nil:
		return broken
	case err == nil:
		return fmt.Errorf("it decided %s (%s) instead of failing", d.Action, brief(d))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it waited for its deadline instead of failing: %w", err)
	}
	return nil
}

// edited names what of an event differs from what it was, or is empty.
func edited(before, after hook.AnyEvent) string {
	b, a := before.Head(), after.Head()
	switch {
	case b.Session != a.Session:
		return "the envelope's Session"
	case b.Agent != a.Agent:
		return "the envelope's Agent"
	case b.Source != a.Source:
		return "the envelope's Source"
	case b.CWD != a.CWD:
		return "the envelope's CWD"
	case b.Transcript != a.Transcript:
		return "the envelope's Transcript"
	case !reflect.DeepEqual(b.Metadata, a.Metadata):
		return "the envelope's Metadata"
	}
	x, y := reflect.ValueOf(before.Body()), reflect.ValueOf(after.Body())
	if x.Kind() != reflect.Struct {
		if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			return "the payload"
		}
		return ""
	}
	for i := range x.NumField() {
		if f := x.Type().Field(i); f.IsExported() && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return "the payload's " + f.Name
		}
	}
	return ""
}
