package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// errAway is the error of a handler without a server or process.
var errAway = hook.Unreachable(errBroken)

// switchable is a handler whose health the test decides.
type switchable struct {
	broken bool
	calls  int
}

func (s *switchable) Handle(context.Context, hook.AnyEvent) (hook.Decision, error) {
	s.calls++
	if s.broken {
		return hook.Decision{}, errAway
	}
	return hook.Allow("healthy"), nil
}

func TestCircuitOpensAfterFiveFailuresInARow(t *testing.T) {
	for _, c := range []struct {
		lane   hook.Lane
		policy hook.Action
	}{{hook.Guard, hook.ActionBlock}, {hook.Transform, hook.ActionContinue}} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			s := &switchable{broken: true}
			add(t, &e, "h", s, hook.As(c.lane))
			for range 5 {
				fire(t, &e, bash("ls"))
			}
			began := time.Now()
			out := fire(t, &e, bash("ls"))
			if s.calls != 5 || time.Since(began) >= time.Millisecond {
				t.Errorf("%v: %d calls, and the sixth event took %v", c.lane, s.calls, time.Since(began))
			}
			if out.Action != c.policy || !errors.Is(out.Steps[0].Err, hook.ErrCircuitOpen) {
				t.Errorf("%v: %v, %v; the failure policy must answer", c.lane, out.Action, out.Steps[0].Err)
			}
		})
	}
}

// A guard that is slow at harmless calls is not asked about the next one. Whose
// failures block, lets nothing pass; where they do not, the step says it.
func TestSlowHarmlessCallsLetNoDangerousOnePass(t *testing.T) {
	slowAtHarmless := func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		if call, _ := hook.CallOf(ev); call.Input["command"] == "rm -rf /" {
			return hook.Block("never"), nil
		}
		<-ctx.Done()
		return hook.Decision{}, ctx.Err()
	}
	for _, c := range []struct {
		lane   hook.Lane
		onFail hook.Failure
		then   hook.Action
	}{
		{hook.Guard, hook.FailDefault, hook.ActionBlock},
		{hook.Transform, hook.FailClosed, hook.ActionBlock},
		{hook.Guard, hook.FailOpen, hook.ActionContinue},
		{hook.Transform, hook.FailDefault, hook.ActionContinue},
	} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", does(slowAtHarmless), hook.As(c.lane), hook.OnFailure(c.onFail), hook.Timeout(time.Second))
			for range 5 {
				if out := fire(t, &e, bash("ls")); !errors.Is(out.Steps[0].Err, hook.ErrTimeout) {
					t.Fatalf("%v: got %v, want errors.Is(out.Steps[0].Err, hook.ErrTimeout)", c.lane, out.Steps[0].Err)
				}
			}
			out := fire(t, &e, bash("rm -rf /"))
			if out.Action != c.then || !errors.Is(out.Steps[0].Err, hook.ErrCircuitOpen) || !strings.Contains(out.Steps[0].Err.Error(), "it was not asked") {
				t.Errorf("%v, failures %v: %v, %v", c.lane, c.onFail, out.Action, out.Steps[0].Err)
			}
			<-time.After(2 * time.Second)
			if out := fire(t, &e, bash("rm -rf /")); out.Action != hook.ActionBlock || out.Reason != "never" {
				t.Errorf("%v: after 2 s it is %v (%s)", c.lane, out.Action, out.Reason)
			}
			if out := fire(t, &e, bash("rm -rf /")); out.Reason != "never" { // it answered, so the circuit is closed
				t.Errorf("%v: once more it is %v (%s)", c.lane, out.Action, out.Reason)
			}
		})
	}
}

// Whatever a hook answers, it is asked again: calls that it makes nothing of do
// not switch it off for those that it is there for.
func TestHookThatAnswersIsAskedEachTime(t *testing.T) {
	for name, answer := range map[string]func() (hook.Decision, error){
		"an error":          func() (hook.Decision, error) { return hook.Decision{}, errBroken },
		"a panic":           func() (hook.Decision, error) { panic("cannot read") },
		"an unknown action": func() (hook.Decision, error) { return hook.Decision{Action: 99}, nil },
		"another payload":   func() (hook.Decision, error) { return hook.Change(42), nil },
	} {
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				add(t, &e, "h", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
					if call, _ := hook.CallOf(ev); call.Input["command"] == "rm -rf /" {
						return hook.Block("never"), nil
					}
					return answer()
				}), hook.As(lane))
				for range 20 {
					if out := fire(t, &e, bash("ls")); out.Steps[0].Err == nil || errors.Is(out.Steps[0].Err, hook.ErrCircuitOpen) {
						t.Fatalf("got %v, %s: %v, want out.Steps[0].Err != nil and !errors.Is(out.Steps[0].Err, hook.ErrCircuitOpen)", lane, name, out.Steps[0].Err)
					}
				}
				if out := fire(t, &e, bash("rm -rf /")); out.Reason != "never" {
					t.Errorf(`got %v, %s: %v, %v, want out.Reason == "never"`, lane, name, out.Action, out.Steps[0].Err)
				}
			})
		}
	}
}

func TestAnswerBreaksTheRowOfFailures(t *testing.T) {
	for name, answer := range map[string]error{"a decision": nil, "an error": errBroken} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			calls := 0
			add(t, &e, "h", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
				if calls++; calls%5 != 0 { // four failures, one answer, and so on
					return hook.Decision{}, errAway
				}
				return hook.Decision{}, answer
			}))
			for range 40 {
				fire(t, &e, bash("ls"))
			}
			if calls != 40 {
				t.Errorf("%s: %d of 40 events reached the handler", name, calls)
			}
		})
	}
}

func TestOpenCircuitLetsOneCallThroughEveryTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		s := &switchable{broken: true}
		add(t, &e, "h", s)
		for range 9 {
			fire(t, &e, bash("ls"))
		}
		<-time.After(1900 * time.Millisecond)
		if fire(t, &e, bash("ls")); s.calls != 5 {
			t.Errorf("tried before the 2 s were over: %d calls", s.calls)
		}
		for i := range 10 {
			<-time.After(2 * time.Second)
			fire(t, &e, bash("ls")) // one trial, which fails
			fire(t, &e, bash("ls"))
			if s.calls != 6+i {
				t.Errorf("%d calls, want %d more than five", s.calls, i+1)
			}
		}
		<-time.After(2 * time.Second)
		s.broken = false
		for range 3 {
			if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow {
				t.Errorf("still %v after it is healthy", out.Action)
			}
		}
		if s.calls != 18 {
			t.Errorf("%d calls, want all three of the closed circuit", s.calls)
		}
	})
}

// Retries belong to one call: only its end counts.
func TestTriesOfOneCallAreOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		s := &switchable{broken: true}
		add(t, &e, "h", s, hook.Retries(9))
		for range 4 {
			fire(t, &e, bash("ls"))
		}
		s.broken = false
		if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow {
			t.Errorf("the circuit is open after four failed calls: %v", out.Steps[0].Err)
		}
	})
}

// A caller who gives up says nothing about the hook.
func TestCancellationIsNoFailureOfTheHook(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			var calls atomic.Int32
			add(t, &e, "h", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
				calls.Add(1)
				<-ctx.Done()
				return hook.Decision{}, ctx.Err()
			}), hook.As(lane))
			for range 10 {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(nil) })
				out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls"))
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("%v: %v by %q (%s), %v", lane, out.Action, out.By, out.Reason, err)
				}
				is(t, fmt.Sprint(lane, ": out.Action"), out.Action, hook.ActionBlock)
				is(t, fmt.Sprint(lane, ": out.By"), out.By, "")
				if out.Reason == "" {
					t.Fatalf("%v: %v by %q (%s), %v", lane, out.Action, out.By, out.Reason, err)
				}
			}
			if n := calls.Load(); n != 10 {
				t.Errorf("%v: %d calls: the circuit opened", lane, n)
			}
		})
	}
}

// At the caller's deadline it is the caller who gives up, also when the handler
// notices it first.
func TestDeadlineOfTheCallerIsNoFailureOfTheHook(t *testing.T) {
	for i, lane := range []hook.Lane{hook.Transform, hook.Guard, hook.Transform, hook.Guard} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", hangs, hook.As(lane))
			if i >= 2 { // at the very same instant
				e.Remove("h")
				add(t, &e, "h", hangs, hook.As(lane), hook.Timeout(time.Second))
			}
			for range 100 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls"))
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, hook.ErrTimeout) || out.Action != hook.ActionBlock {
					t.Fatalf("%v: got %v, %v, want errors.Is(err, context.DeadlineExceeded) and !errors.Is(err, hook.ErrTimeout) and out.Action == hook.ActionBlock", lane, out.Action, err)
				}
			}
		})
	}
}

// A trial that the caller cut short decides nothing; the next event tries again.
func TestCancelledTrialLeavesTheCircuitHalfOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		s := &switchable{broken: true}
		blocked := false
		add(t, &e, "h", does(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			if blocked {
				<-ctx.Done()
				return hook.Decision{}, ctx.Err()
			}
			return s.Handle(ctx, ev)
		}))
		for range 5 {
			fire(t, &e, bash("ls"))
		}
		<-time.After(2 * time.Second)
		blocked = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls")); err == nil {
			t.Fatal("the caller's deadline gave no error")
		}
		blocked, s.broken = false, false
		if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow {
			t.Errorf("%v, %v: the hook was not tried", out.Action, out.Steps[0].Err)
		}
	})
}
