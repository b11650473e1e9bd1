package hook_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// log gathers what handlers saw, from any goroutine.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// notes is a handler that logs the command of a tool call.
func (l *log) notes() hook.Handler {
	return sees(func(ev hook.AnyEvent) {
		use := ev.Body().(hook.ToolUse)
		l.add(use.Text("command"))
	})
}

func TestObserverIsNeverWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		ended := false
		add(t, &e, "o", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			<-time.After(10 * time.Second)
			ended = true
			return hook.Block("not observed"), nil
		}), hook.As(hook.Observe))
		began := time.Now()
		out := fire(t, &e, bash("ls"))
		if time.Since(began) != 0 || out.Action != hook.ActionContinue || len(out.Steps) != 0 {
			t.Errorf("%v after %v with %v", out.Action, time.Since(began), ids(out.Steps))
		}
		closeEngine(t, &e)
		if !ended || time.Since(began) != 10*time.Second {
			t.Errorf("Close came back after %v, ended %v", time.Since(began), ended)
		}
	})
}

func TestObserverSeesTheFinalPayloadOfEveryFiringInOrder(t *testing.T) {
	var e hook.Engine
	var seen log
	add(t, &e, "o", seen.notes(), hook.As(hook.Observe), hook.Queue(1000))
	add(t, &e, "change", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		use := ev.Body().(hook.ToolUse)
		return hook.Change(use.WithInput("command", "sudo "+use.Text("command"))), nil
	}))
	add(t, &e, "no-3", says(hook.Block("no")), hook.MatchCommand("^sudo 3$"))
	var want []string
	for i := range 200 {
		fire(t, &e, bash(fmt.Sprint(i)))
		want = append(want, fmt.Sprintf("sudo %d", i))
	}
	closeEngine(t, &e)
	if got := seen.all(); !slices.Equal(got, want) {
		t.Errorf("saw %v, want all 200 in order, the blocked one too", got)
	}
}

// One event runs, one waits; the newest are dropped and counted.
func TestFullQueueDropsTheNewestAndCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var seen, dropped log
		gate := make(chan struct{})
		e.Watch(func(n hook.Notice) {
			if n.Kind == hook.HookDropped {
				dropped.add(n.Hook + " " + n.Event)
			}
		})
		notes := seen.notes()
		add(t, &e, "o", does(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			<-gate
			return notes.Handle(ctx, ev)
		}), hook.As(hook.Observe), hook.Queue(1))
		for i := range 4 {
			fire(t, &e, bash(fmt.Sprint(i)))
		}
		if n := e.Dropped("o"); n != 2 || !slices.Equal(dropped.all(), []string{"o PreToolUse", "o PreToolUse"}) {
			t.Errorf("%d dropped, notices %v; want 2", n, dropped.all())
		}
		close(gate)
		closeEngine(t, &e)
		if got := seen.all(); !slices.Equal(got, []string{"0", "1"}) {
			t.Errorf("saw %v, want the two oldest", got)
		}
		fire(t, &e, bash("again"))
		closeEngine(t, &e)
		if got := seen.all(); len(got) != 3 {
			t.Errorf("the queue did not recover: %v", got)
		}
	})
}

func TestDefaultQueueHoldsSixtyFour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		handler, release := hung()
		add(t, &e, "o", handler, hook.As(hook.Observe))
		for range 1 + 64 + 3 {
			fire(t, &e, bash("ls"))
		}
		if n := e.Dropped("o"); n != 3 {
			t.Errorf("%d dropped, want 3", n)
		}
		release()
		closeEngine(t, &e)
	})
}

// Observers are isolated: neither the event nor each other is hurt.
func TestFailedObserverIsOnlyRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var seen, dropped log
		e.Watch(func(n hook.Notice) {
			if n.Kind == hook.HookError {
				dropped.add(n.Hook)
			}
		})
		add(t, &e, "error", fails(errBroken), hook.As(hook.Observe))
		add(t, &e, "panic", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { panic("boom") }), hook.As(hook.Observe))
		add(t, &e, "exit", sees(func(_ hook.AnyEvent) {
			runtime.Goexit()
		}), hook.As(hook.Observe))
		add(t, &e, "closed", fails(errBroken), hook.As(hook.Observe), hook.OnFailure(hook.FailClosed))
		add(t, &e, "good", seen.notes(), hook.As(hook.Observe))
		for range 2 {
			if out := fire(t, &e, bash("ls")); out.Action != hook.ActionContinue {
				t.Errorf("an observer decided: %v", out.Action)
			}
			closeEngine(t, &e)
		}
		got := dropped.all()
		slices.Sort(got)
		if want := []string{"closed", "closed", "error", "error", "exit", "exit", "panic", "panic"}; !slices.Equal(got, want) {
			t.Errorf("noticed %v, want %v", got, want)
		}
		if len(seen.all()) != 2 {
			t.Errorf("the good observer saw %v", seen.all())
		}
	})
}

// An observer that ignores its context is left behind at its deadline, and the
// events after it are seen.
func TestHungObserverDoesNotHoldItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var seen log
		notes := seen.notes()
		gate := make(chan struct{})
		add(t, &e, "o", does(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			use := ev.Body().(hook.ToolUse)
			if use.Text("command") == "hang" {
				<-gate
			}
			return notes.Handle(ctx, ev)
		}), hook.As(hook.Observe))
		fire(t, &e, bash("hang"))
		fire(t, &e, bash("next"))
		<-time.After(hook.DefaultTimeout + time.Second)
		if got := seen.all(); !slices.Equal(got, []string{"next"}) {
			t.Errorf("saw %v, want the event after the hung one", got)
		}
		close(gate)
		closeEngine(t, &e)
	})
}

func TestObserverOutlivesTheCallersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var seen log
		add(t, &e, "o", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			<-time.After(time.Second)
			seen.add(fmt.Sprint(ctx.Err()))
			return hook.Decision{}, nil
		}), hook.As(hook.Observe))
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls")); err != nil {
			t.Fatal(err)
		}
		cancel()
		closeEngine(t, &e)
		if got := seen.all(); !slices.Equal(got, []string{"<nil>"}) {
			t.Errorf("the observer's context said %v", got)
		}
	})
}

func TestCloseObeysItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		handler, release := hung()
		add(t, &e, "o", handler, hook.As(hook.Observe), hook.Timeout(0))
		fire(t, &e, bash("ls"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := e.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		release()
		closeEngine(t, &e)
		closeEngine(t, &e) // and may be called again
	})
}

func TestRemovedObserverFinishesWhatItWasGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		var seen log
		add(t, &e, "o", seen.notes(), hook.As(hook.Observe))
		fire(t, &e, bash("before"))
		e.Remove("o")
		fire(t, &e, bash("after"))
		closeEngine(t, &e)
		if got := seen.all(); !slices.Equal(got, []string{"before"}) || e.Dropped("o") != 0 {
			t.Errorf("saw %v", got)
		}
	})
}
