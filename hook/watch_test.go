package hook_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// watched records the notices of an engine.
type watched struct {
	mu   sync.Mutex
	list []hook.Notice
}

func (w *watched) tell(n hook.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, n)
}

// take returns the notices since the last call, as "Kind hook".
func (w *watched) take() (out []string, notices []hook.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.list {
		out = append(out, fmt.Sprintf("%s %s", n.Kind, n.Hook))
	}
	notices, w.list = w.list, nil
	return out, notices
}

func TestWatchersAreToldOfRegistrations(t *testing.T) {
	var e hook.Engine
	var w watched
	stop := e.Watch(w.tell)
	add(t, &e, "h", says(hook.Decision{}))
	if _, err := e.Replace(hook.New("h", says(hook.Decision{}), hook.For("PreToolUse"))); err != nil {
		t.Fatal(err)
	}
	if err := e.Add(hook.New("h", nil)); err == nil {
		t.Fatal("a broken hook was taken")
	}
	e.Remove("h")
	e.Remove("h")
	want := []string{"HookRegistered h", "HookUnregistered h", "HookRegistered h", "HookUnregistered h"}
	if got, _ := w.take(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	stop()
	stop()
	add(t, &e, "later", says(hook.Decision{}))
	if got, _ := w.take(); len(got) != 0 {
		t.Errorf("got %v after the watch ended", got)
	}
}

func TestWatchersAreToldOfEachCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "slow", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			<-time.After(time.Second)
			return hook.Allow("fine"), nil
		}))
		add(t, &e, "broken", fails(errBroken), hook.Retries(1))
		add(t, &e, "unlistened", says(hook.Change("no")), hook.For("PreToolUse"))
		add(t, &e, "g", says(hook.Ask("sure?")), hook.As(hook.Guard))
		add(t, &e, "elsewhere", says(hook.Decision{}), hook.MatchTool("Read"))
		var w watched
		defer e.Watch(w.tell)()
		var id hook.ID
		on(t, &e, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			id = ev.ID()
			return hook.Decision{}, nil
		}, hook.Named("last"), hook.Priority(1000))
		w.take()
		fire(t, &e, bash("ls"))
		got, notices := w.take()
		want := []string{
			"HookStarted slow", "HookCompleted slow",
			"HookStarted broken", "HookError broken", "HookStarted broken", "HookError broken",
			"HookStarted unlistened", "HookError unlistened",
			"HookStarted last", "HookCompleted last",
			"HookStarted g", "HookCompleted g",
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%v, want\n%v", got, want)
		}
		for _, n := range notices {
			if n.Event != "PreToolUse" || n.EventID != id {
				t.Errorf("%s %s: event %q, id %v, want PreToolUse %v", n.Kind, n.Hook, n.Event, n.EventID, id)
			}
			if (n.Kind == hook.HookError) != (n.Err != nil) {
				t.Errorf("%s %s: error %v", n.Kind, n.Hook, n.Err)
			}
		}
		if n := notices[1]; n.Duration != time.Second || n.Action != hook.ActionAllow {
			t.Errorf("slow: %v, %v; want 1s and allow", n.Duration, n.Action)
		}
		if !errors.Is(notices[3].Err, errBroken) {
			t.Errorf("broken: %v", notices[3].Err)
		}
		if n := notices[11]; n.Lane != hook.Guard || n.Action != hook.ActionAsk {
			t.Errorf("g: %v, %v", n.Lane, n.Action)
		}
	})
}

func TestWatchersAreToldOfRefusals(t *testing.T) {
	var e hook.Engine
	var w watched
	add(t, &e, "h", says(hook.Block("no")), hook.For("Output"))
	defer e.Watch(w.tell)()
	fireAt(t, &e, hook.Output, hook.OutputText{Text: "x"})
	_, notices := w.take()
	var refused *hook.RefusedError
	if n := notices[len(notices)-1]; n.Kind != hook.HookError || !errors.As(n.Err, &refused) || n.Hook != "h" {
		t.Errorf("got %+v", n)
	}
}

// A cancelled chain leaves no gap in the record: what started also ended.
func TestWatchersAreToldOfACancelledChain(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard, hook.Observe} {
		t.Run(lane.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				var w watched
				add(t, &e, "first", says(hook.Decision{}), hook.Priority(1))
				add(t, &e, "waits", hangs, hook.As(lane), hook.Priority(2), hook.Timeout(time.Minute))
				add(t, &e, "never", says(hook.Decision{}), hook.As(hook.Guard), hook.Priority(3))
				if lane == hook.Guard {
					e.Remove("never")
				}
				if lane != hook.Transform { // something that the caller's context ends
					add(t, &e, "ends", hangs, hook.Timeout(time.Minute))
				}
				defer e.Watch(w.tell)()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls")); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("got %v, want errors.Is(err, context.DeadlineExceeded)", err)
				}
				closeEngine(t, &e)
				got, notices := w.take()
				open := map[string]int{}
				for _, n := range notices {
					switch n.Kind {
					case hook.HookStarted:
						open[n.Hook]++
					case hook.HookCompleted, hook.HookError:
						open[n.Hook]--
					}
				}
				for id, n := range open {
					if n != 0 {
						t.Errorf("%s: %d calls without an end in %v", id, n, got)
					}
				}
				if slices.Contains(got, "HookStarted never") {
					t.Errorf("a hook was started after the end: %v", got)
				}
			})
		})
	}
}

func TestAPanickingWatcherIsIsolated(t *testing.T) {
	var e hook.Engine
	var w watched
	defer e.Watch(func(hook.Notice) { panic("boom") })()
	defer e.Watch(w.tell)()
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard, hook.Observe} {
		add(t, &e, lane.String(), says(hook.Decision{}), hook.As(lane))
	}
	add(t, &e, "second", says(hook.Block("no")), hook.As(hook.Guard)) // so that guards have goroutines
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.By != "second" {
		t.Errorf("%v by %q", out.Action, out.By)
	}
	closeEngine(t, &e)
	if got, _ := w.take(); len(got) != 12 {
		t.Errorf("the other watcher got %v", got)
	}
}
