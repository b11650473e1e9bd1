package hook

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Tool, Generate, Iteration and Session run a whole operation with its hooks:
// the before event, the operation, the after event, and Error if it failed.
// For every before event that was fired its after event is fired too, once,
// also when hooks stopped the operation, and when it fails, panics or is
// cancelled. A panic of the operation becomes its error, a *PanicError.

// ErrRetries is the cause when hooks asked for more retries than MaxRetries. The
// error of the last try, if there is one, is joined to it.
var ErrRetries = fmt.Errorf("hooks asked for more than %d retries", MaxRetries)

// afterGrace is how long the events after an operation may go on once the caller's
// context has ended.
const afterGrace = 5 * time.Second

// outlive is the context of the events after an operation. It ends afterGrace after
// the caller's, not with it: else some hooks would see what was done and others not.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Done() == nil {
		return ctx, func() {}
	}
	late, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		grace := time.NewTimer(afterGrace)
		defer grace.Stop()
		select {
		case <-grace.C:
			end()
		case <-late.Done():
		}
	})
	return late, func() {
		stop()
		end()
	}
}

// protect runs an operation and turns a panic into its error.
func protect[In, Out any](ctx context.Context, in In, run func(context.Context, In) (Out, error)) (out Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return run(ctx, in)
}

// waitRetry waits before the next try. tries counts the retries so far.
func waitRetry(ctx context.Context, v *Verdict, tries int) error {
	if tries >= MaxRetries {
		return fmt.Errorf("hook %s: %w", v.By, ErrRetries)
	}
	t := time.NewTimer(v.RetryDelay)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// asked settles an ask: by the user, or by the fallback where there is none.
func (e *Engine) asked(ctx context.Context, v *Verdict, payload any) error {
	if v.Action != ActionAsk {
		return nil
	}
	if e.Ask == nil {
		if e.AskFallback == ActionAllow {
			v.Action = ActionAllow
		} else {
			v.Action = ActionBlock
		}
		return nil
	}
	allowed, err := protect(ctx, payload, func(ctx context.Context, payload any) (bool, error) {
		return e.Ask(ctx, *v, payload)
	})
	switch {
	case err != nil:
		v.Action = ActionBlock
		return fmt.Errorf("the user could not be asked (%s): %w", v.Reason, err)
	case allowed:
		v.Action = ActionAllow
	default:
		v.Action = ActionBlock
	}
	return nil
}

// faulted fires Error, and returns what its hooks want: a recovery, a retry, or
// another text of the error.
func (e *Engine) faulted(ctx context.Context, env *Envelope, fault Fault, cause error) (Outcome[Fault], error) {
	fault.Error = cause.Error()
	late, done := outlive(ctx)
	defer done()
	out, err := Fire(late, e, Error, env, fault)
	if err != nil {
		return out, errors.Join(cause, err)
	}
	if out.Payload.Error != fault.Error {
		cause = &ChangedError{Text: out.Payload.Error, Cause: cause}
	}
	return out, cause
}

// ChangedError is an operation's error with the text that a hook of Error gave it.
// errors.Is and errors.As still find the operation's own error.
type ChangedError struct {
	Text  string
	Cause error
}

func (e *ChangedError) Error() string { return e.Text }

// Unwrap returns the operation's own error.
func (e *ChangedError) Unwrap() error { return e.Cause }
