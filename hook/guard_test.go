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

// Guards run side by side, sixteen of a firing at a time.
func TestGuardsRunSideBySide(t *testing.T) {
	for _, c := range []struct {
		guards int
		took   time.Duration
	}{{1, time.Second}, {16, time.Second}, {17, 2 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			var e hook.Engine
			var running, most atomic.Int32
			for i := range c.guards {
				add(t, &e, fmt.Sprint(i), sees(func(_ hook.AnyEvent) {
					n := running.Add(1)
					defer running.Add(-1)
					for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
					}
					<-time.After(time.Second)
				}), hook.As(hook.Guard))
			}
			began := time.Now()
			out := fire(t, &e, bash("ls"))
			if took := time.Since(began); took != c.took || len(out.Steps) != c.guards || int(most.Load()) != min(c.guards, 16) {
				t.Errorf("%d guards took %v, %d at a time, %d steps", c.guards, took, most.Load(), len(out.Steps))
			}
		})
	}
}

// One bad guard does not keep the others from deciding.
func TestGuardsAreIsolated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		handler, release := hung()
		open := hook.OnFailure(hook.FailOpen)
		add(t, &e, "hung", handler, hook.As(hook.Guard), hook.Timeout(time.Second), open)
		add(t, &e, "panics", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { panic("boom") }), hook.As(hook.Guard), open)
		add(t, &e, "speaks", says(hook.Block("no")), hook.As(hook.Guard))
		out := fire(t, &e, bash("ls"))
		if out.By != "speaks" || out.Reason != "no" || len(out.Steps) != 3 {
			t.Errorf("%v by %q: %+v", out.Action, out.By, out.Steps)
		}
		release()
		closeEngine(t, &e)
	})
}

// A caller who gives up while transform hooks run asks no guard and gets a block.
func TestGuardsAreNotAskedAfterTheCallerGaveUp(t *testing.T) {
	var e hook.Engine
	asked := false
	ctx, cancel := context.WithCancelCause(t.Context())
	add(t, &e, "h", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		cancel(errBroken)
		return hook.Allow("done all the same"), nil
	}))
	add(t, &e, "g", sees(func(_ hook.AnyEvent) {
		asked = true
	}), hook.As(hook.Guard))
	out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v by %q: %q, %v; guard asked: %v", out.Action, out.By, out.Reason, err, asked)
	}
	is(t, "out.Action", out.Action, hook.ActionBlock)
	is(t, "out.By", out.By, "")
	if !strings.Contains(out.Reason, "PreToolUse") || asked {
		t.Errorf("%v by %q: %q, %v; guard asked: %v", out.Action, out.By, out.Reason, err, asked)
	}
	if len(out.Steps) != 1 || out.Steps[0].Hook != "h" {
		t.Errorf("steps %+v, want what was done", out.Steps)
	}
}

func TestCallerWhoGaveUpRunsNothing(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		var e hook.Engine
		ran := false
		add(t, &e, "h", sees(func(_ hook.AnyEvent) {
			ran = true
		}), hook.As(lane))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls"))
		if !errors.Is(err, context.Canceled) || out.Action != hook.ActionBlock || ran {
			t.Errorf("%v: %v, %v, ran %v", lane, out.Action, err, ran)
		}
	}
}

func TestStaticGuardsDecideAtOnce(t *testing.T) {
	var e hook.Engine
	add(t, &e, "s", hook.Static(hook.Block("never")), hook.As(hook.Guard), hook.MatchTool("Bash"))
	add(t, &e, "note", hook.Static(hook.Inject("note")))
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.Reason != "never" || out.Inject != "note" {
		t.Errorf(`got %+v, want out.Action == hook.ActionBlock and out.Reason == "never" and out.Inject == "note"`, out.Verdict)
	}
}

func TestObserversHaveMatchersToo(t *testing.T) {
	var e hook.Engine
	var seen log
	add(t, &e, "o", seen.notes(), hook.As(hook.Observe), hook.MatchCommand("^git"), hook.Queue(10))
	for _, command := range []string{"ls", "git push", "cat git"} {
		fire(t, &e, bash(command))
	}
	closeEngine(t, &e)
	if got := seen.all(); len(got) != 1 || got[0] != "git push" {
		t.Errorf("saw %v", got)
	}
}

// A typed hook that is given a foreign payload fails as any hook: it is an
// event of one engine that took another's name.
func TestTypedHookOfAForeignPayloadFails(t *testing.T) {
	var e hook.Engine
	if err := hook.On(&e, hook.PreToolUse, noop, hook.As(hook.Guard), hook.Named("typed")); err != nil {
		t.Fatal(err)
	}
	ev, err := hook.Native("PreToolUse").New(hook.Envelope{}, map[string]any{"tool_name": "Bash"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Fire(t.Context(), ev)
	if err != nil || out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "typed") {
		t.Errorf(`got %v %q, %v, want err == nil and out.Action == hook.ActionBlock and strings.Contains(out.Reason, "typed")`, out.Action, out.Reason, err)
	}
}

func TestChangedPayloadMayBeAPointer(t *testing.T) {
	var e hook.Engine
	use := bash("ls").WithInput("n", 1)
	add(t, &e, "h", says(hook.Change(&use)))
	if out := fire(t, &e, bash("ls")); !out.Changed || out.Payload.ToolInput["n"] != 1 {
		t.Errorf(`got %+v, want out.Changed and out.Payload.ToolInput["n"] == 1`, out.Payload)
	}
}

func TestWaitingForARetryObeysTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "busy", says(hook.Retry(time.Hour)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		w := tool{response: fine}
		if _, err := hook.Tool(ctx, &e, nil, bash("ls"), w.run); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute || len(w.calls) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
