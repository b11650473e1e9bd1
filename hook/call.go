package hook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"time"
)

// ErrTimeout is the cause when a handler ran out of time. Find it with errors.Is in
// Step.Err.
var ErrTimeout = errors.New("it ran out of time")

// PanicError is the panic of a handler, as the error of its step, or of an
// operation, as its error.
type PanicError struct {
	Value any    // given to panic
	Stack []byte // of the goroutine that panicked, as debug.Stack formats it
}

func (e *PanicError) Error() string { return fmt.Sprintf("it panicked: %v", e.Value) }

// timeoutError is a handler's error when it ran out of time, with what the handler
// itself reported last.
type timeoutError struct {
	limit  time.Duration
	detail string
}

func (e *timeoutError) Error() string {
	text := fmt.Sprintf("%v after %v", ErrTimeout, e.limit)
	detail := strings.TrimSuffix(e.detail, context.DeadlineExceeded.Error())
	if detail = strings.TrimSuffix(detail, ": "); detail == "" {
		return text
	}
	return text + ": " + detail
}

// Unwrap returns ErrTimeout only: context.DeadlineExceeded would look as if the
// caller's own deadline had passed.
func (e *timeoutError) Unwrap() error { return ErrTimeout }

// reportGrace is how long a handler whose time is over may take to return an error
// that says what it was doing.
const reportGrace = 50 * time.Millisecond

// retryPause is the pause before the first further try; it doubles each time. A try
// that could not begin before the deadline is not made.
const retryPause = 20 * time.Millisecond

// call asks one hook, with its deadline, retries, circuit and failure policy. It
// adds a step for each try. The error means that the firing's context ended. d is
// the caller's zero value: decisions are large, and are not copied from call to call.
func (r *run) call(e *entry, ev AnyEvent, steps *[]Step, d *Decision) (err error) {
	ready, trial := e.breaker.ready()
	if !ready {
		r.record(steps, e, 0, ErrCircuitOpen)
		e.fail(d, ErrCircuitOpen)
		return nil
	}
	start := r.last
	if !e.follows() {
		start = time.Since(processStart)
	}
	ctx := r.context(e, start)
	for try := 0; ; try++ {
		r.notifyStarted(e)
		if e.alone {
			err = e.askAlone(ctx, ev, d, &r.e.pending)
		} else {
			err = e.ask(ctx, ev, d)
		}
		now := time.Since(processStart)
		if e.follows() {
			r.last = now
		}
		if err == nil {
			err = e.check(ctx, ev, d, now)
		}
		if err == nil {
			ctx.finish()
			e.breaker.answered()
			r.record(steps, e, now-start, nil)
			r.notifyCompleted(e, now-start, d.Action)
			return nil
		}
		if r.ctx.Err() != nil {
			err = r.givenUp(e, ctx, trial)
			r.record(steps, e, now-start, err)
			return err
		}
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
			err = &timeoutError{limit: e.hook.Timeout, detail: err.Error()}
		}
		r.record(steps, e, now-start, err)
		if try >= e.hook.Retries || !pause(ctx, retryPause<<try-rand.N(retryPause<<try/5)) {
			if r.ctx.Err() != nil {
				return r.givenUp(e, ctx, trial)
			}
			ctx.finish()
			e.breaker.failed(err)
			e.fail(d, err)
			return nil
		}
		start = time.Since(processStart)
	}
}

// givenUp ends a call whose firing was cancelled: that says nothing about the hook,
// so its circuit does not count it.
func (r *run) givenUp(e *entry, ctx *callContext, trial bool) error {
	ctx.finish()
	if trial {
		e.breaker.undecided()
	}
	return r.aborted()
}

// context makes the context of one call. For transform hooks it allocates several
// at a time.
func (r *run) context(e *entry, start time.Duration) *callContext {
	var c *callContext
	switch {
	case !e.follows() || e.alone:
		c = new(callContext)
	case r.kept.ctx.info == nil:
		c = &r.kept.ctx
	default:
		if len(r.spares) == 0 {
			r.spares = make([]callContext, r.more())
		}
		c, r.spares = &r.spares[0], r.spares[1:]
	}
	c.Context, c.info, c.start, c.limit = r.ctx, r.info, start, e.hook.Timeout
	return c
}

// more is how many hooks to make room for at once: as many as are sure to run.
func (r *run) more() int {
	if r.chain == nil { // an observer, by itself
		return 1
	}
	return max(4, min(r.chain.sure, 256))
}

// ask calls the handler and turns a panic into an error. What it returned beside an
// error is dropped by call.
func (e *entry) ask(ctx context.Context, ev AnyEvent, d *Decision) (err error) {
	defer func() {
		if p := recover(); p != nil {
			*d, err = Decision{}, &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	*d, err = e.handler.Handle(ctx, ev)
	return err
}

// askAlone calls the handler on a goroutine of its own, and abandons it when its
// time is over. Within reportGrace an error is still read; a late decision is not.
func (e *entry) askAlone(ctx *callContext, ev AnyEvent, d *Decision, outliving *pending) error {
	type answer struct {
		decision Decision
		err      error
	}
	answers := make(chan answer, 1)
	outliving.add()
	go func() {
		defer outliving.done()
		a := answer{err: errors.New("it ended its goroutine without an answer")} // runtime.Goexit
		defer func() { answers <- a }()
		var decision Decision
		err := e.ask(ctx, ev, &decision)
		a = answer{decision, err}
	}()
	select {
	case a := <-answers:
		*d = a.decision
		return a.err
	case <-ctx.Done():
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	t := time.NewTimer(reportGrace)
	defer t.Stop()
	select {
	case a := <-answers:
		if errors.Is(a.err, context.DeadlineExceeded) {
			return a.err
		}
	case <-t.C:
	}
	return ctx.Err()
}

// check finds answers that are invalid, or came too late.
func (e *entry) check(ctx *callContext, ev AnyEvent, d *Decision, now time.Duration) error {
	switch {
	case ctx.limit > 0 && now-ctx.start >= ctx.limit:
		return context.DeadlineExceeded
	case d.Action > ActionAnswer:
		return fmt.Errorf("its answer has an unknown action, number %d", d.Action)
	case d.RetryDelay < 0:
		return fmt.Errorf("its answer has a retry delay of %v; it must not be negative", d.RetryDelay)
	case d.Action == ActionAnswer && e.hook.Lane == Guard:
		return errors.New("a guard may not stand in for the operation; put the answer into the transform lane")
	case d.Modified != nil && !ev.accepts(d.Modified):
		return fmt.Errorf("its changed payload is a %T; that of %s is a %T", d.Modified, ev.Info().Name, ev.Body())
	}
	return nil
}

// fail makes the decision of the failure policy: continue, or a block whose reason
// names the hook and the cause, as one line without secrets.
func (e *entry) fail(d *Decision, err error) {
	*d = Decision{}
	if !e.closed {
		return
	}
	*d = Block(fmt.Sprintf("Hook %s failed (%s), and its failures block", e.hook.ID, LogLine(err.Error())))
}

// record adds the step of a try; take completes it with what was decided.
func (r *run) record(steps *[]Step, e *entry, took time.Duration, err error) {
	if len(*steps) == 1 && cap(*steps) == 1 {
		*steps = append(make([]Step, 0, r.more()), *steps...)
	}
	*steps = append(*steps, Step{})
	step := &(*steps)[len(*steps)-1]
	step.Hook, step.Lane, step.Duration, step.Err = e.hook.ID, e.hook.Lane, took, err
	if err != nil && r.e.watchers.Load() != nil {
		n := r.notice(HookError, e)
		n.Duration, n.Err = took, err
		r.e.notify(n)
	}
}

// notifyStarted tells watchers that a hook begins. Without watchers a firing pays one load.
func (r *run) notifyStarted(e *entry) {
	if r.e.watchers.Load() != nil {
		r.e.notify(r.notice(HookStarted, e))
	}
}

// notifyCompleted tells watchers that a hook has answered, with how long it took.
func (r *run) notifyCompleted(e *entry, took time.Duration, action Action) {
	if r.e.watchers.Load() != nil {
		n := r.notice(HookCompleted, e)
		n.Duration, n.Action = took, action
		r.e.notify(n)
	}
}

// notice is what all notices of a firing have in common. It tells of the event as it was
// fired, and not of what hooks have made of it.
func (r *run) notice(kind NoticeKind, e *entry) Notice {
	head := r.fired.Head()
	return Notice{
		Kind: kind, Hook: e.hook.ID, Event: r.info.Name, EventID: r.fired.ID(),
		Name: e.hook.Name, Events: e.hook.Events, Session: head.Session, Agent: head.Agent, CWD: head.CWD, Lane: e.hook.Lane, change: r.info.change,
	}
}

// pause waits, and reports whether there is time left for another try.
func pause(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
