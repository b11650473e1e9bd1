package hook

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// ErrTimeout is the cause when a handler ran out of time.
var ErrTimeout = errors.New("it ran out of time")

// ErrCircuitOpen is the cause when a hook failed so often that it is left alone.
var ErrCircuitOpen = fmt.Errorf("it failed %d times in a row and is left alone for %v", breakerFailures, breakerPause)

// PanicError is a handler's panic, as the error of its step.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("it panicked: %v", e.Value) }

// retryPause is the pause before the first further try; it doubles each time.
const retryPause = 20 * time.Millisecond

// call asks one hook: with its deadline, retries, circuit and failure policy. It
// adds a step for each try. start is the time since the firing began. The error
// means that the caller gave up.
func (r *run) call(e *entry, ev AnyEvent, steps *[]Step, start time.Duration) (Decision, error) {
	if !e.breaker.ready() {
		r.record(steps, e, 0, ErrCircuitOpen)
		return e.failed(ErrCircuitOpen), nil
	}
	ctx := r.context(e, start)
	defer ctx.finish()
	for try := 0; ; try++ {
		r.notifyStarted(e)
		d, err := r.ask(e, ctx, ev)
		now := time.Since(r.began)
		if e.hook.Lane == Transform {
			r.last = now
		}
		if err == nil {
			err = e.check(ev, d)
		}
		if err == nil && ctx.limit > 0 && now-ctx.offset >= ctx.limit {
			err = context.DeadlineExceeded // it answered too late
		}
		if err == nil {
			e.breaker.succeeded()
			r.record(steps, e, now-start, nil)
			return d, nil
		}
		if cause := r.ctx.Err(); cause != nil {
			err = r.aborted(cause)
			r.record(steps, e, now-start, err)
			return Decision{}, err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w after %v", ErrTimeout, e.hook.Timeout)
		}
		r.record(steps, e, now-start, err)
		if try >= e.hook.Retries || !pause(ctx, retryPause<<try) {
			e.breaker.failed()
			return e.failed(err), nil
		}
		start = time.Since(r.began)
	}
}

// context makes the context of one call; the firing's first is not allocated.
func (r *run) context(e *entry, start time.Duration) *callContext {
	c := &r.first
	if r.used || e.alone || e.hook.Lane != Transform {
		c = new(callContext)
	} else {
		r.used = true
	}
	c.Context, c.info, c.began, c.offset, c.limit = r.ctx, r.info, r.began, start, e.hook.Timeout
	return c
}

// ask calls the handler, on a goroutine of its own if the hook needs that.
func (r *run) ask(e *entry, ctx *callContext, ev AnyEvent) (Decision, error) {
	if !e.alone {
		return e.protected(ctx, ev)
	}
	type answer struct {
		decision Decision
		err      error
	}
	answers := make(chan answer, 1)
	r.e.pending.add()
	go func() {
		defer r.e.pending.done()
		a := answer{err: errors.New("it ended its goroutine without an answer")}
		defer func() { answers <- a }()
		a.decision, a.err = e.protected(ctx, ev)
	}()
	select {
	case a := <-answers:
		return a.decision, a.err
	case <-ctx.Done(): // it may still be running: its late answer goes nowhere
		return Decision{}, ctx.Err()
	}
}

// protected turns a panic into an error.
func (e *entry) protected(ctx context.Context, ev AnyEvent) (d Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			d, err = Decision{}, &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return e.handler.Handle(ctx, ev)
}

// check finds answers that mean nothing.
func (e *entry) check(ev AnyEvent, d Decision) error {
	switch {
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

// failed is what a failure decides.
func (e *entry) failed(err error) Decision {
	if !e.closed {
		return Decision{}
	}
	return Block(fmt.Sprintf("Hook %s failed (%s), and its failures block", e.hook.ID, LogLine(err.Error())))
}

// record adds the step of a try; take completes it with what was decided.
func (r *run) record(steps *[]Step, e *entry, took time.Duration, err error) {
	*steps = append(*steps, Step{Hook: e.hook.ID, Lane: e.hook.Lane, Duration: took, Err: err})
	if r.e.watchers.Load() == nil {
		return
	}
	n := r.notice(HookCompleted, e)
	n.Duration = took
	if err != nil {
		n.Kind, n.Err = HookError, err
	}
	r.e.notify(n)
}

func (r *run) notifyStarted(e *entry) {
	if r.e.watchers.Load() != nil {
		r.e.notify(r.notice(HookStarted, e))
	}
}

func (r *run) notice(kind NoticeKind, e *entry) Notice {
	return Notice{Kind: kind, Hook: e.hook.ID, Event: r.info.Name, EventID: r.fired.Head().ID, Lane: e.hook.Lane}
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
