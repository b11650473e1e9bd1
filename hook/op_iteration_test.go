package hook_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

func TestIterationRunsAndReports(t *testing.T) {
	var e hook.Engine
	var seen []hook.IterationResult
	on(t, &e, hook.IterationEnd, func(_ context.Context, ev *hook.Event[hook.IterationResult]) (hook.Decision, error) {
		seen = append(seen, ev.Payload)
		return hook.Decision{}, nil
	})
	r, err := hook.Iteration(t.Context(), &e, nil, hook.IterationInfo{Iteration: 3, MaxIterations: 5}, func(_ context.Context, info hook.IterationInfo) (hook.IterationResult, error) {
		return hook.IterationResult{CompletedWithText: info.Iteration == 3, ToolCalls: []hook.IterationCall{{Name: "Read"}}}, nil
	})
	switch {
	case err != nil || r.Skipped || !r.Result.CompletedWithText:
		t.Errorf("%+v, %v", r, err)
	case r.Result.MaxIterations != 5:
		t.Errorf("r.Result.MaxIterations: got %v, want %v", r.Result.MaxIterations, 5)
	}
	if len(seen) != 1 || seen[0].Iteration != 3 || len(seen[0].ToolCalls) != 1 {
		t.Errorf("hooks saw %+v", seen)
	}
}

func TestAnsweredIterationIsSkipped(t *testing.T) {
	var e hook.Engine
	add(t, &e, "budget", says(hook.Answer(nil)), hook.For("beforeIteration"), hook.MatchField("iteration", "2"))
	for n := 1; n <= 3; n++ {
		ran := false
		r, err := hook.Iteration(t.Context(), &e, nil, hook.IterationInfo{Iteration: n}, func(context.Context, hook.IterationInfo) (hook.IterationResult, error) {
			ran = true
			return hook.IterationResult{}, nil
		})
		switch skip := n == 2; {
		case err != nil:
			t.Errorf("iteration %d: %+v, %v, ran %v", n, r, err, ran)
		case r.Skipped != skip:
			t.Errorf("r.Skipped: got %v, want %v", r.Skipped, skip)
		case ran == skip || skip && r.By != "budget":
			t.Errorf("iteration %d: %+v, %v, ran %v", n, r, err, ran)
		}
	}
}

func TestFailedIterationIsTriedAgainOrRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		runs := 0
		fail := func(context.Context, hook.IterationInfo) (hook.IterationResult, error) {
			if runs++; runs < 3 {
				return hook.IterationResult{}, errBroken
			}
			return hook.IterationResult{CompletedWithText: true}, nil
		}
		add(t, &e, "again", first(2, hook.Retry(0)), hook.For("onError"), hook.MatchField("phase", "iteration"))
		began := time.Now()
		r, err := hook.Iteration(t.Context(), &e, nil, hook.IterationInfo{Iteration: 1}, fail)
		switch {
		case err != nil:
			t.Errorf("%+v, %v, %d runs", r, err, runs)
		case runs != 3:
			t.Errorf("runs: got %v, want %v", runs, 3)
		case !r.Result.CompletedWithText || time.Since(began) != 2*time.Second:
			t.Errorf("%+v, %v, %d runs", r, err, runs)
		}
		runs = 0
		if _, err := hook.Iteration(t.Context(), &e, nil, hook.IterationInfo{Iteration: 1}, fail); !errors.Is(err, errBroken) {
			t.Errorf("without a retry: %v", err)
		}
		runs = 0
		add(t, &e, "medic", says(hook.Answer(nil)), hook.For("onError"))
		if r, err := hook.Iteration(t.Context(), &e, nil, hook.IterationInfo{Iteration: 1}, fail); err != nil || !r.Recovered || r.By != "medic" {
			t.Errorf(`got %+v, %v, want err == nil and r.Recovered and r.By == "medic"`, r, err)
		}
	})
}

func TestSessionStartsAndEnds(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		body         func(cancel func()) (hook.SessionSummary, error)
	}{
		{"done", "completed", func(func()) (hook.SessionSummary, error) { return hook.SessionSummary{TotalTokens: 7}, nil }},
		{"failed", "error", func(func()) (hook.SessionSummary, error) { return hook.SessionSummary{TotalTokens: 7}, errBroken }},
		{"cancelled", "cancelled", func(cancel func()) (hook.SessionSummary, error) {
			cancel()
			return hook.SessionSummary{TotalTokens: 7}, context.Canceled
		}},
		{"with a reason of its own", "logout", func(func()) (hook.SessionSummary, error) {
			return hook.SessionSummary{TotalTokens: 7, Reason: "logout"}, nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				var ends []hook.SessionSummary
				add(t, &e, "memory", says(hook.Inject("remember the milk")), hook.For("session-start"))
				on(t, &e, hook.SessionEnd, func(_ context.Context, ev *hook.Event[hook.SessionSummary]) (hook.Decision, error) {
					ends = append(ends, ev.Payload)
					return hook.Decision{}, nil
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				err := hook.Session(ctx, &e, nil, hook.SessionInfo{ModelName: "m"}, func(_ context.Context, inject string) (hook.SessionSummary, error) {
					if inject != "remember the milk" {
						t.Errorf("injected %q", inject)
					}
					<-time.After(2 * time.Second)
					return c.body(cancel)
				})
				if want := (hook.SessionSummary{Reason: c.reason, DurationMS: 2000, TotalTokens: 7}); len(ends) != 1 || ends[0] != want {
					t.Errorf("ended with %+v, want %+v", ends, want)
				}
				if failed := c.reason == "error" || c.reason == "cancelled"; (err != nil) != failed {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
