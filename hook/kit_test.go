package hook_test

import (
	"context"
	"testing"

	"github.com/hookway/hookway/hook"
)

// says is a handler that always gives the same decision. Unlike hook.Static the
// engine knows nothing about it.
func says(d hook.Decision) hook.Handler {
	return does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { return d, nil })
}

func does(fn func(context.Context, hook.AnyEvent) (hook.Decision, error)) hook.Handler {
	return hook.HandlerFunc(fn)
}

// sees is a handler that only looks at the event.
func sees(look func(hook.AnyEvent)) hook.Handler {
	return does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		look(ev)
		return hook.Decision{}, nil
	})
}

// on registers a function for one event.
func on[P any](t testing.TB, e *hook.Engine, at hook.Point[P], fn func(context.Context, *hook.Event[P]) (hook.Decision, error), options ...hook.Option) {
	t.Helper()
	if err := hook.On(e, at, fn, options...); err != nil {
		t.Fatal(err)
	}
}

// fails is a handler that never reaches a decision.
func fails(err error) hook.Handler {
	return does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { return hook.Decision{}, err })
}

// add registers a hook of PreToolUse; an option For names other events instead.
func add(t testing.TB, e *hook.Engine, id string, handler hook.Handler, options ...hook.Option) {
	t.Helper()
	h := hook.New(id, handler, options...)
	if len(h.Events) == 0 {
		h.Events = []string{"PreToolUse"}
	}
	if err := e.Add(h); err != nil {
		t.Fatal(err)
	}
}

// bash is a call of the tool Bash.
func bash(command string) hook.ToolUse {
	return hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}}
}

// allocs is how often a function allocates: the least of several counts, because what
// else runs in the process is counted too.
func allocs(fn func()) float64 {
	least := testing.AllocsPerRun(100, fn)
	for range 4 {
		least = min(least, testing.AllocsPerRun(100, fn))
	}
	return least
}

// fire fires PreToolUse, and expects the chain to be finished.
func fire(t testing.TB, e *hook.Engine, use hook.ToolUse) hook.Outcome[hook.ToolUse] {
	t.Helper()
	return fireAt(t, e, hook.PreToolUse, use)
}

// fireAt fires any event, and expects the chain to be finished.
func fireAt[P any](t testing.TB, e *hook.Engine, point hook.Point[P], payload P) hook.Outcome[P] {
	t.Helper()
	out, err := hook.Fire(context.Background(), e, point, &hook.Envelope{Session: "s-1"}, payload)
	if err != nil {
		t.Fatalf("%s: %v", point.Name(), err)
	}
	return out
}

// ids lists the hooks of the steps, in order.
func ids(steps []hook.Step) []string {
	out := []string{}
	for _, s := range steps {
		out = append(out, s.Hook)
	}
	return out
}

// rewrites is a handler that sets one argument of a tool call.
func rewrites(key string, value any) hook.Handler {
	return does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Change(ev.Body().(hook.ToolUse).WithInput(key, value)), nil
	})
}

// closeEngine waits for everything that outlives firings.
func closeEngine(t testing.TB, e *hook.Engine) {
	t.Helper()
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// is ends the test unless a value is the one that is wanted.
func is[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
