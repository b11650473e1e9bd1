package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// operation is one of the operations with hooks, in a form common to all.
type operation struct {
	before, after string
	run           func(ctx context.Context, e *hook.Engine, body func(context.Context) error) error
}

var operations = map[string]operation{
	"Tool": {"PreToolUse", "PostToolUse", func(ctx context.Context, e *hook.Engine, body func(context.Context) error) error {
		_, err := hook.Tool(ctx, e, nil, bash("ls"), func(ctx context.Context, _ hook.ToolUse) (hook.ToolResponse, error) {
			return hook.ToolResponse{Success: true}, body(ctx)
		})
		return err
	}},
	"Generate": {"GenerateStart", "GenerateEnd", func(ctx context.Context, e *hook.Engine, body func(context.Context) error) error {
		_, err := hook.Generate(ctx, e, nil, hook.Generation{Prompt: "hello"}, func(ctx context.Context, _ hook.Generation) (hook.GenerationResult, error) {
			return hook.GenerationResult{ResponseText: "hi"}, body(ctx)
		})
		return err
	}},
	"Iteration": {"IterationStart", "IterationEnd", func(ctx context.Context, e *hook.Engine, body func(context.Context) error) error {
		_, err := hook.Iteration(ctx, e, nil, hook.IterationInfo{Iteration: 1}, func(ctx context.Context, _ hook.IterationInfo) (hook.IterationResult, error) {
			return hook.IterationResult{}, body(ctx)
		})
		return err
	}},
	"Session": {"SessionStart", "SessionEnd", func(ctx context.Context, e *hook.Engine, body func(context.Context) error) error {
		return hook.Session(ctx, e, nil, hook.SessionInfo{}, func(ctx context.Context, _ string) (hook.SessionSummary, error) {
			return hook.SessionSummary{}, body(ctx)
		})
	}},
}

// first is a handler that decides only the first n times.
func first(n int, d hook.Decision) hook.Handler {
	return does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		if n--; n >= 0 {
			return d, nil
		}
		return hook.Decision{}, nil
	})
}

// paths are the ways that an operation may take.
var paths = []struct {
	name  string
	hooks func(t *testing.T, e *hook.Engine, op operation)
	body  func(ctx context.Context, cancel func()) error
	gone  bool // the caller has given up before it begins
}{
	{name: "without hooks"},
	{name: "error", body: func(context.Context, func()) error { return errBroken }},
	{name: "panic", body: func(context.Context, func()) error { panic("boom") }},
	{name: "cancelled while it runs", body: func(ctx context.Context, cancel func()) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}},
	{name: "cancelled, but done all the same", body: func(_ context.Context, cancel func()) error {
		cancel()
		return nil
	}},
	{name: "cancelled before", gone: true, hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", says(hook.Decision{}), hook.For(op.before, op.after))
	}},
	{name: "cancelled inside of the before chain", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", hangs, hook.For(op.before), hook.Timeout(0))
	}},
	{name: "block", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", says(hook.Block("no")), hook.For(op.before))
	}},
	{name: "guard that fails", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", fails(errBroken), hook.For(op.before), hook.As(hook.Guard))
	}},
	{name: "answer", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", says(hook.Answer("done")), hook.For(op.before))
	}},
	{name: "ask", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", says(hook.Ask("sure?")), hook.For(op.before))
	}},
	{name: "ask that panics", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		e.Ask = func(context.Context, hook.Verdict, any) (bool, error) { panic("no terminal") }
		add(t, e, "h", says(hook.Ask("sure?")), hook.For(op.before))
	}},
	{name: "retry before", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", first(3, hook.Retry(0)), hook.For(op.before))
	}},
	{name: "retry before, for ever", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", says(hook.Retry(0)), hook.For(op.before))
	}},
	{name: "retry after", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", first(3, hook.Retry(0)), hook.For(op.after))
	}},
	{name: "block after", hooks: func(t *testing.T, e *hook.Engine, op operation) {
		add(t, e, "h", says(hook.Block("no")), hook.For(op.after))
	}},
	{name: "retry of an error", body: func(context.Context, func()) error { return errBroken }, hooks: func(t *testing.T, e *hook.Engine, _ operation) {
		add(t, e, "h", first(2, hook.Retry(0)), hook.For("onError"))
	}},
	{name: "recovery", body: func(context.Context, func()) error { return errBroken }, hooks: func(t *testing.T, e *hook.Engine, _ operation) {
		add(t, e, "h", says(hook.Answer("recovered")), hook.For("onError"))
	}},
}

// For every before event there is its after event, on every path.
func TestBeforeAndAfterEventsPair(t *testing.T) {
	for name, op := range operations {
		for _, p := range paths {
			t.Run(name+"/"+p.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var e hook.Engine
					var seen log
					if p.hooks != nil {
						p.hooks(t, &e, op)
					}
					add(t, &e, "record", sees(func(ev hook.AnyEvent) {
						seen.add(ev.Info().Name)
					}), hook.For("*"), hook.As(hook.Observe), hook.Queue(1000))
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					if p.gone {
						cancel()
					}
					err := op.run(ctx, &e, func(ctx context.Context) error {
						if p.body == nil {
							return nil
						}
						return p.body(ctx, cancel)
					})
					closeEngine(t, &e)
					var last string
					for _, event := range seen.all() {
						switch event {
						case op.before:
							if last == op.before {
								t.Fatalf("%v: a before event follows another", seen.all())
							}
							last = event
						case op.after:
							if last != op.before {
								t.Fatalf("%v: an after event follows nothing", seen.all())
							}
							last = event
						}
					}
					if before, after := count(seen.all(), op.before), count(seen.all(), op.after); before != after || before == 0 {
						t.Errorf("%d before, %d after: %v (%v)", before, after, seen.all(), err)
					}
				})
			})
		}
	}
}

// After events of a cancelled operation are given time, but not without end.
func TestAfterEventsOfACancelledOperationAreBounded(t *testing.T) {
	for name, op := range operations {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "slow", hangs, hook.For(op.after), hook.Timeout(0))
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			err := op.run(ctx, &e, func(context.Context) error { cancel(); return ctx.Err() })
			if took := time.Since(began); took > 10*time.Second || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v after %v", name, err, took)
			}
		})
	}
}

// What the operation's error was can still be found in the one that is returned.
func TestErrorsOfOperationsKeepTheirCause(t *testing.T) {
	for name, op := range operations {
		var e hook.Engine
		if err := op.run(t.Context(), &e, func(context.Context) error { return fmt.Errorf("run: %w", errBroken) }); !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v, want errors.Is(err, errBroken)", name, err)
		}
		var p *hook.PanicError
		if err := op.run(t.Context(), &e, func(context.Context) error { panic("boom") }); !errors.As(err, &p) || p.Value != "boom" {
			t.Errorf(`%s: got %v, want errors.As(err, &p) and p.Value == "boom"`, name, err)
		}
	}
}

func TestOperationsBoundTheirRetries(t *testing.T) {
	for name, op := range operations {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "stubborn", says(hook.Retry(time.Minute)), hook.For("Error", op.before))
			runs := 0
			began := time.Now()
			err := op.run(t.Context(), &e, func(context.Context) error { runs++; return errBroken })
			switch {
			case name == "Session": // a session is not run twice
				if runs != 1 || !errors.Is(err, errBroken) {
					t.Errorf("%s: %d runs, %v", name, runs, err)
				}
			case !errors.Is(err, hook.ErrRetries) || time.Since(began) != 10*time.Minute || runs != 0 && runs != 11:
				t.Errorf("%s: %d runs in %v, %v", name, runs, time.Since(began), err)
			}
		})
	}
}

// If the time is over before every after hook has seen the result, no caller gets
// it: a hook that would have redacted it may be among the others.
func TestResultThatNotEveryHookSawIsKeptBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var giveUp func()
		gives := does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			giveUp()
			<-ctx.Done()
			return hook.Decision{}, nil
		})
		add(t, &e, "gives-up", gives, hook.For("PostToolUse", "GenerateEnd"))
		add(t, &e, "redacts", says(hook.Decision{}), hook.For("PostToolUse", "GenerateEnd"))
		w := tool{response: hook.ToolResponse{Success: true, Output: "hunter22"}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		giveUp = cancel
		r, err := hook.Tool(ctx, &e, nil, bash("ls"), w.run)
		if !errors.Is(err, context.Canceled) || strings.Contains(fmt.Sprint(r.Response), "hunter22") || r.Stored != nil {
			t.Errorf("Tool: %+v, %v", r.Response, err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		giveUp = cancel
		g, err := hook.Generate(ctx, &e, nil, question, func(context.Context, hook.Generation) (hook.GenerationResult, error) {
			return hook.GenerationResult{ResponseText: "hunter22"}, nil
		})
		if !errors.Is(err, context.Canceled) || g.Result.ResponseText != "" {
			t.Errorf("Generate: %+v, %v", g.Result, err)
		}
	})
}
