package hook_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// failsFirst fails n times, then decides. It notes when it was called.
func failsFirst(n int, then hook.Decision, calls *[]time.Duration) hook.Handler {
	began := time.Now()
	return does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		*calls = append(*calls, time.Since(began))
		if len(*calls) <= n {
			return hook.Decision{Inject: "not counted"}, errBroken
		}
		return then, nil
	})
}

func TestFailedHandlerIsTriedAgainWithBackoff(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			var calls []time.Duration
			add(t, &e, "h", failsFirst(2, hook.Block("no"), &calls), hook.As(lane), hook.Retries(2))
			out := fire(t, &e, bash("ls"))
			if out.Action != hook.ActionBlock || out.Reason != "no" || out.Inject != "" {
				t.Errorf("%v: %v %q, inject %q", lane, out.Action, out.Reason, out.Inject)
			}
			if want := []string{"h", "h", "h"}; !slices.Equal(ids(out.Steps), want) {
				t.Fatalf("%v: steps %v, want one a try", lane, ids(out.Steps))
			}
			for i, s := range out.Steps {
				if failed := i < 2; errors.Is(s.Err, errBroken) != failed || (s.Action == hook.ActionBlock) == failed {
					t.Errorf("%v: step %d: %+v", lane, i, s)
				}
			}
			first, second := calls[1]-calls[0], calls[2]-calls[1]
			if first <= 0 || second <= first {
				t.Errorf("%v: pauses of %v and %v, want a growing backoff", lane, first, second)
			}
		})
	}
}

func TestDecisionsAreNeverTriedAgain(t *testing.T) {
	for _, d := range []hook.Decision{{}, hook.Block("no"), hook.Retry(0), hook.Ask("sure?")} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			var calls []time.Duration
			add(t, &e, "h", failsFirst(0, d, &calls), hook.Retries(5))
			if fire(t, &e, bash("ls")); len(calls) != 1 {
				t.Errorf("%v: %d calls", d.Action, len(calls))
			}
		})
	}
}

func TestRetriesEndWithThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var calls []time.Duration
		add(t, &e, "g", failsFirst(99, hook.Decision{}, &calls), hook.As(hook.Guard), hook.Retries(3))
		out := fire(t, &e, bash("ls"))
		if len(calls) != 4 || len(out.Steps) != 4 || out.Action != hook.ActionBlock {
			t.Errorf("%d calls, %d steps, %v: want 4, 4, block", len(calls), len(out.Steps), out.Action)
		}
	})
}

// All tries share one deadline.
func TestRetriesStayInsideTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var tries atomic.Int32
		add(t, &e, "g", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			tries.Add(1)
			select {
			case <-time.After(400 * time.Millisecond):
			case <-ctx.Done():
			}
			return hook.Decision{}, errBroken
		}), hook.As(hook.Guard), hook.Retries(10), hook.Timeout(time.Second))
		began := time.Now()
		out := fire(t, &e, bash("ls"))
		if took := time.Since(began); took > time.Second || tries.Load() != 3 || out.Action != hook.ActionBlock {
			t.Errorf("%d tries in %v, %v", tries.Load(), took, out.Action)
		}
	})
}

func TestCallerWhoGivesUpEndsTheRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var calls []time.Duration
		add(t, &e, "h", failsFirst(99, hook.Decision{}, &calls), hook.Retries(10))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls"))
		if !errors.Is(err, context.Canceled) || out.Action != hook.ActionBlock {
			t.Errorf("%v after %d calls: %v", out.Action, len(calls), err)
		}
	})
}
