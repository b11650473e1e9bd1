package hook_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// switchable is a handler whose health the test decides.
type switchable struct {
	broken bool
	calls  int
}

func (s *switchable) Handle(context.Context, hook.AnyEvent) (hook.Decision, error) {
	s.calls++
	if s.broken {
		return hook.Decision{}, errBroken
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

func TestSuccessBreaksTheRowOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		s := &switchable{}
		add(t, &e, "h", s)
		for i := range 40 {
			s.broken = i%5 != 4 // four failures, one success, and so on
			fire(t, &e, bash("ls"))
		}
		if s.calls != 40 {
			t.Errorf("%d of 40 events reached the handler", s.calls)
		}
	})
}

func TestCircuitClosesAfterASuccessInHalfOpenState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		s := &switchable{broken: true}
		add(t, &e, "h", s)
		for range 9 {
			fire(t, &e, bash("ls"))
		}
		<-time.After(29 * time.Second)
		if fire(t, &e, bash("ls")); s.calls != 5 {
			t.Errorf("tried before the 30 s were over: %d calls", s.calls)
		}
		<-time.After(time.Second)
		fire(t, &e, bash("ls")) // half open: one trial, which fails
		fire(t, &e, bash("ls"))
		if s.calls != 6 {
			t.Errorf("%d calls, want one trial more than five", s.calls)
		}
		<-time.After(30 * time.Second)
		s.broken = false
		for range 3 {
			if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow {
				t.Errorf("still %v after it is healthy", out.Action)
			}
		}
		if s.calls != 9 {
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
				if !errors.Is(err, context.Canceled) || out.Action != hook.ActionBlock || out.By != "" || out.Reason == "" {
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
					t.Fatalf("%v: %v, %v", lane, out.Action, err)
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
		<-time.After(30 * time.Second)
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
