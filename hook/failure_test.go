package hook_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

var errBroken = errors.New("the rules file is gone")

// hangs waits for its context, as every handler should.
var hangs = does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
	<-ctx.Done()
	return hook.Decision{}, ctx.Err()
})

// failures are the ways in which a handler reaches no decision.
var failures = []struct {
	name    string
	handler hook.Handler
	is      func(error) bool
}{
	{"error", fails(errBroken), func(err error) bool { return errors.Is(err, errBroken) }},
	{"panic", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { panic("boom") }), func(err error) bool {
		var p *hook.PanicError
		return errors.As(err, &p) && p.Value == "boom" && len(p.Stack) > 0
	}},
	{"timeout", hangs, func(err error) bool { return errors.Is(err, hook.ErrTimeout) }},
	{"unknown action", says(hook.Decision{Action: 99}), func(err error) bool { return strings.Contains(err.Error(), "99") }},
	{"negative retry delay", says(hook.Retry(-time.Second)), func(err error) bool { return strings.Contains(err.Error(), "-1s") }},
	{"payload of the wrong type", says(hook.Change(7)), func(err error) bool { return strings.Contains(err.Error(), "int") }},
	{"nil payload pointer", says(hook.Change((*hook.ToolUse)(nil))), func(err error) bool { return strings.Contains(err.Error(), "ToolUse") }},
}

func TestFailedGuardBlocksAndNamesItself(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				add(t, &e, "watchful", f.handler, hook.As(hook.Guard), hook.Timeout(time.Second))
				out := fire(t, &e, bash("ls"))
				if out.Action != hook.ActionBlock || out.By != "watchful" || !strings.Contains(out.Reason, "watchful") {
					t.Errorf("%v by %q: %q; want a block that names the hook", out.Action, out.By, out.Reason)
				}
				if err := out.Steps[0].Err; err == nil || !f.is(err) {
					t.Errorf("the step's error is %v", err)
				}
			})
		})
	}
}

func TestFailedTransformPassesOnWithThePayloadUnchanged(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				add(t, &e, "good", rewrites("command", "ls -l"), hook.Priority(1))
				add(t, &e, "bad", f.handler, hook.Timeout(time.Second), hook.Priority(2))
				add(t, &e, "also-good", says(hook.Inject("note")), hook.Priority(3))
				out := fire(t, &e, bash("ls"))
				if out.Action != hook.ActionContinue || out.Payload.Text("command") != "ls -l" || out.Inject != "note" {
					t.Errorf("%v with %q and %q: the results of good hooks must stay", out.Action, out.Payload.Text("command"), out.Inject)
				}
				if want := []string{"good", "bad", "also-good"}; !slices.Equal(ids(out.Steps), want) {
					t.Fatalf("steps %v, want %v", ids(out.Steps), want)
				}
				if err := out.Steps[1].Err; err == nil || !f.is(err) {
					t.Errorf("the step's error is %v", err)
				}
			})
		})
	}
}

func TestPolicyDecidesWhatAFailureMeans(t *testing.T) {
	for _, c := range []struct {
		lane   hook.Lane
		policy hook.Failure
		want   hook.Action
	}{
		{hook.Transform, hook.FailDefault, hook.ActionContinue},
		{hook.Transform, hook.FailOpen, hook.ActionContinue},
		{hook.Transform, hook.FailClosed, hook.ActionBlock},
		{hook.Guard, hook.FailDefault, hook.ActionBlock},
		{hook.Guard, hook.FailOpen, hook.ActionContinue},
		{hook.Guard, hook.FailClosed, hook.ActionBlock},
	} {
		t.Run(fmt.Sprintf("%v/%v", c.lane, c.policy), func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", fails(errBroken), hook.As(c.lane), hook.OnFailure(c.policy))
			out := fire(t, &e, bash("ls"))
			if out.Action != c.want {
				t.Errorf("got %v, want %v", out.Action, c.want)
			}
			if !errors.Is(out.Steps[0].Err, errBroken) {
				t.Errorf("the failure is not recorded: %v", out.Steps[0].Err)
			}
		})
	}
}

// An event that cannot be blocked goes on, and the record keeps the cause.
func TestFailureOfAGuardThatCannotBlockKeepsItsCause(t *testing.T) {
	var e hook.Engine
	add(t, &e, "g", fails(errBroken), hook.As(hook.Guard), hook.For("SessionStart"))
	out := fireAt(t, &e, hook.SessionStart, hook.SessionInfo{})
	var refused *hook.RefusedError
	if err := out.Steps[0].Err; out.Action != hook.ActionContinue || !errors.Is(err, errBroken) || !errors.As(err, &refused) {
		t.Errorf("%v with step error %v, want the cause and the refusal", out.Action, err)
	}
}

func TestReasonOfAFailureIsFitForALog(t *testing.T) {
	var e hook.Engine
	add(t, &e, "g", fails(errors.New("bad\x1b[31m\nline token=abcdef123456 "+strings.Repeat("x", 2000))), hook.As(hook.Guard))
	out := fire(t, &e, bash("ls"))
	if strings.ContainsAny(out.Reason, "\x1b\n") || strings.Contains(out.Reason, "abcdef") || len(out.Reason) > 600 {
		t.Errorf("reason %q", out.Reason)
	}
}

// hung is a handler that ignores its context until it is released.
func hung() (handler hook.Handler, release func()) {
	gate := make(chan struct{})
	return does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		<-gate
		return hook.Decision{Action: hook.ActionAllow, Inject: "too late", Metadata: map[string]any{"late": true}}, nil
	}), func() { close(gate) }
}

// A handler that does not even obey its context cannot hold the caller, and what
// it says afterwards changes nothing. synctest counts the goroutines.
func TestHungHandlerIsAbandoned(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		t.Run(lane.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				handler, release := hung()
				add(t, &e, "sleepy", handler, hook.As(lane), hook.Timeout(500*time.Millisecond), hook.OnFailure(hook.FailClosed))
				began := time.Now()
				out := fire(t, &e, bash("ls"))
				if took := time.Since(began); took < 500*time.Millisecond || took > 600*time.Millisecond {
					t.Errorf("it took %v, want the timeout and a moment for last words", took)
				}
				before := fmt.Sprintf("%+v", out)
				if out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "sleepy") || !errors.Is(out.Steps[0].Err, hook.ErrTimeout) {
					t.Errorf(`got %v %q, %v, want out.Action == hook.ActionBlock and strings.Contains(out.Reason, "sleepy") and errors.Is(out.Steps[0].Err, hook.ErrTimeout)`, out.Action, out.Reason, out.Steps[0].Err)
				}
				release()
				closeEngine(t, &e) // waits for the abandoned call
				if after := fmt.Sprintf("%+v", out); after != before {
					t.Errorf("the late answer changed the outcome:\n%s\n%s", before, after)
				}
			})
		})
	}
}

func TestDefaultTimeoutIsThirtySeconds(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", hangs, hook.As(lane))
			began := time.Now()
			out := fire(t, &e, bash("ls"))
			if took := time.Since(began); took != 30*time.Second || !errors.Is(out.Steps[0].Err, hook.ErrTimeout) {
				t.Errorf("%v: ended after %v with %v", lane, took, out.Steps[0].Err)
			}
		})
	}
}

func TestTimeoutZeroIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "patient", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			if deadline, ok := ctx.Deadline(); ok {
				t.Errorf("it has a deadline, %v", deadline)
			}
			select {
			case <-ctx.Done():
				return hook.Decision{}, ctx.Err()
			case <-time.After(time.Hour):
				return hook.Allow("after an hour"), nil
			}
		}), hook.As(hook.Guard), hook.Timeout(0))
		if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow {
			t.Errorf("got %v %q", out.Action, out.Reason)
		}
	})
}

func TestImpossibleNumbersAreErrorsAtRegistration(t *testing.T) {
	for _, c := range []struct {
		name   string
		option hook.Option
		word   string
	}{
		{"negative timeout", hook.Timeout(-time.Second), "timeout"},
		{"absurd timeout", hook.Timeout(365 * 24 * time.Hour), "timeout"},
		{"negative retries", hook.Retries(-1), "max_retries"},
		{"absurd retries", hook.Retries(1000), "max_retries"},
		{"negative queue", hook.Queue(-1), "queue"},
		{"unknown lane", hook.As(9), "lane"},
		{"unknown policy", hook.OnFailure(9), "policy"},
	} {
		var e hook.Engine
		err := e.Add(hook.New("h", says(hook.Decision{}), hook.For("PreToolUse"), c.option))
		if err == nil || !strings.Contains(err.Error(), c.word) || e.Len() != 0 {
			t.Errorf("%s: error %v, %d hooks", c.name, err, e.Len())
		}
	}
}

func TestHandlerSeesItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "h", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			deadline, ok := ctx.Deadline()
			if left := time.Until(deadline); !ok || left != 2*time.Second {
				t.Errorf("deadline in %v (%v), want 2s", left, ok)
			}
			if err := ctx.Err(); err != nil {
				t.Errorf("over before it began: %v", err)
			}
			return hook.Decision{}, nil
		}), hook.Timeout(2*time.Second))
		fire(t, &e, bash("ls"))
	})
}

// A transform hook without a timeout of its own runs on the caller's goroutine;
// that it came too late is found out when it returns.
func TestLateAnswerOfAnInlineHookIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "slow", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			<-time.After(31 * time.Second)
			return hook.Block("too late"), nil
		}))
		out := fire(t, &e, bash("ls"))
		if out.Action != hook.ActionContinue || !errors.Is(out.Steps[0].Err, hook.ErrTimeout) {
			t.Errorf("%v, step error %v", out.Action, out.Steps[0].Err)
		}
	})
}

func TestContextOfACallEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var kept []context.Context
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			add(t, &e, lane.String(), does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
				kept = append(kept, ctx)
				return hook.Decision{}, nil
			}), hook.As(lane))
		}
		fire(t, &e, bash("ls"))
		for _, ctx := range kept {
			select {
			case <-ctx.Done():
			default:
				t.Error("work that a handler left behind was not asked to stop")
			}
		}
	})
}

// runtime.Goexit, which a failing test calls too, is a failure as any other.
func TestGuardThatEndsItsGoroutineFails(t *testing.T) {
	var e hook.Engine
	add(t, &e, "g", sees(func(_ hook.AnyEvent) {
		runtime.Goexit()
	}), hook.As(hook.Guard))
	add(t, &e, "g2", says(hook.Decision{}), hook.As(hook.Guard))
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.By != "g" {
		t.Errorf("%v by %q", out.Action, out.By)
	}
}

// An error that happens to be a deadline, but not this hook's, keeps its cause.
func TestDeadlineOfSomethingElseIsNotATimeout(t *testing.T) {
	var e hook.Engine
	add(t, &e, "h", fails(fmt.Errorf("asking the registry: %w", context.DeadlineExceeded)))
	if err := fire(t, &e, bash("ls")).Steps[0].Err; errors.Is(err, hook.ErrTimeout) || !strings.Contains(err.Error(), "registry") {
		t.Errorf("step error %v", err)
	}
}

// What a handler says of itself when its time is over stays in the error: where it
// was, and what it waited for.
func TestTimeoutKeepsTheHandlersWords(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		t.Run(lane.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				handler := does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
					<-ctx.Done()
					time.Sleep(time.Millisecond) // it clears up first
					return hook.Decision{}, fmt.Errorf("https://example.com: it was still answering, after 7 bytes: %w", ctx.Err())
				})
				add(t, &e, "slow", handler, hook.As(lane), hook.Timeout(time.Second), hook.OnFailure(hook.FailClosed))
				out := fire(t, &e, bash("ls"))
				const want = "it ran out of time after 1s: https://example.com: it was still answering, after 7 bytes"
				if err := out.Steps[0].Err; !errors.Is(err, hook.ErrTimeout) || err.Error() != want || !strings.Contains(out.Reason, want) {
					t.Errorf("got %v, %q, want errors.Is(err, hook.ErrTimeout) and err.Error() == want and strings.Contains(out.Reason, want)", err, out.Reason)
				}
				closeEngine(t, &e)
			})
		})
	}
}

// However a timeout came to a hook, the hook is held to it.
func TestATimeoutIsEnforcedWithoutTheOption(t *testing.T) {
	for name, register := range map[string]func(*testing.T, *hook.Engine, hook.Handler){
		"a literal": func(t *testing.T, e *hook.Engine, h hook.Handler) {
			if err := e.Add(hook.Hook{ID: "h", Events: []string{"PreToolUse"}, Timeout: time.Second, Handler: h}); err != nil {
				t.Fatal(err)
			}
		},
		"changed later": func(t *testing.T, e *hook.Engine, h hook.Handler) {
			add(t, e, "h", h)
			changed, _ := e.Get("h")
			changed.Timeout = time.Second
			if _, err := e.Replace(changed); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				handler, release := hung() // it does not obey its context
				register(t, &e, handler)
				time.AfterFunc(time.Minute, release)
				began := time.Now()
				out := fire(t, &e, bash("ls"))
				if took := time.Since(began); took < time.Second || took > 1100*time.Millisecond || !errors.Is(out.Steps[0].Err, hook.ErrTimeout) {
					t.Errorf("ended after %v with %v", took, out.Steps[0].Err)
				}
				closeEngine(t, &e)
			})
		})
	}
}

// The cause of a cancelled firing shows both errors.
func TestACancelledFiringHasTheCauseOfItsContext(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Guard, hook.Transform} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var e hook.Engine
		add(t, &e, "ends", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			cancel(errBroken)
			return hook.Decision{}, ctx.Err()
		}), hook.As(lane))
		_, err := hook.Fire(ctx, &e, hook.PreToolUse, &hook.Envelope{Session: "s-1"}, bash("ls"))
		if !errors.Is(err, errBroken) || !errors.Is(err, context.Canceled) || err.Error() != "PreToolUse was cancelled: "+errBroken.Error() {
			t.Errorf(`%v: got %v, want errors.Is(err, errBroken) and errors.Is(err, context.Canceled) and err.Error() == "PreToolUse was cancelled: " + errBroken.Error()`, lane, err)
		}
	}
}
