package hook

import (
	"context"
	"errors"
	"time"
)

// IterationRun is how one turn of an agent's loop ended. Go on with the next turn
// if it was skipped or recovered.
type IterationRun struct {
	Result    IterationResult
	Skipped   bool   // a hook of IterationStart answered: it did not run
	Recovered bool   // it failed, and a hook of Error answered
	By        string // the hook that skipped or recovered it
}

// Iteration runs one turn of an agent's loop with its hooks: IterationStart, run,
// IterationEnd, and Error if it failed. A hook that answers IterationStart skips the
// turn; a retry of Error's hooks runs it again. Panics and the end of the context
// are as with Tool.
func Iteration(ctx context.Context, e *Engine, env *Envelope, info IterationInfo, run func(context.Context, IterationInfo) (IterationResult, error)) (IterationRun, error) {
	for retries := 0; ; retries++ {
		r, again, err := tryIteration(ctx, e, env, info, run)
		if again == nil {
			return r, err
		}
		if wait := waitRetry(ctx, again, retries); wait != nil {
			return r, errors.Join(err, wait)
		}
	}
}

// tryIteration is one try. again is the verdict that asks for another.
func tryIteration(ctx context.Context, e *Engine, env *Envelope, info IterationInfo, run func(context.Context, IterationInfo) (IterationResult, error)) (r IterationRun, again *Verdict, err error) {
	before, err := Fire(ctx, e, IterationStart, env, info)
	switch {
	case err != nil: // the context ended: it does not begin
	case before.Action == ActionAnswer:
		r.Skipped, r.By = true, before.By
	default:
		r.Result, err = protect(ctx, info, run)
	}
	r.Result.IterationInfo = info
	env = env.following(before.Metadata)

	late, done := outlive(ctx)
	defer done()
	if _, afterErr := Fire(late, e, IterationEnd, env, r.Result); afterErr != nil {
		err = errors.Join(err, afterErr)
	}
	if err == nil {
		return r, nil, nil
	}
	out, err := e.faulted(ctx, env, Fault{Phase: "iteration"}, err)
	switch {
	case out.Action == ActionRetry && ctx.Err() == nil:
		return r, &out.Verdict, err
	case out.Action == ActionAnswer:
		r.Recovered, r.By = true, out.By
		return r, nil, nil
	}
	return r, nil, err
}

// Session runs an agent's session with its hooks: SessionStart, run, SessionEnd.
// run gets the text that hooks inject at the start. The summary it returns is
// reported to the hooks of SessionEnd: an empty reason becomes "completed",
// "error" or "cancelled", and a duration of zero the time that run took. The error
// is run's own.
func Session(ctx context.Context, e *Engine, env *Envelope, info SessionInfo, run func(ctx context.Context, inject string) (SessionSummary, error)) error {
	began := time.Now()
	before, err := Fire(ctx, e, SessionStart, env, info)
	var summary SessionSummary
	if err == nil {
		summary, err = protect(ctx, before.Inject, run)
	}
	if summary.Reason == "" {
		switch {
		case ctx.Err() != nil:
			summary.Reason = "cancelled"
		case err != nil:
			summary.Reason = "error"
		default:
			summary.Reason = "completed"
		}
	}
	if summary.DurationMS == 0 {
		summary.DurationMS = time.Since(began).Milliseconds()
	}
	late, done := outlive(ctx)
	defer done()
	_, afterErr := Fire(late, e, SessionEnd, env, summary)
	return errors.Join(err, afterErr)
}
