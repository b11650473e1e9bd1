package hook_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestRegistryCalls(t *testing.T) {
	var e hook.Engine
	if e.Len() != 0 || len(e.All()) != 0 || e.Remove("missing") {
		t.Error("an empty engine has hooks")
	}
	add(t, &e, "b", says(hook.Decision{}), hook.Priority(2), hook.Origin("hookway.yaml:7"))
	add(t, &e, "g", says(hook.Decision{}), hook.As(hook.Guard), hook.Priority(0))
	add(t, &e, "a", says(hook.Decision{}), hook.Priority(1), hook.For("Stop"))
	var all []string
	for _, h := range e.All() {
		all = append(all, h.ID)
	}
	if want := []string{"a", "b", "g"}; e.Len() != 3 || !slices.Equal(all, want) {
		t.Errorf("%d hooks, %v; want %v, in the order of the chain", e.Len(), all, want)
	}
	h, ok := e.Get("b")
	if !ok {
		t.Errorf("got %+v, %v", h, ok)
	}
	is(t, "h.Priority", h.Priority, 2)
	is(t, "h.Origin", h.Origin, "hookway.yaml:7")
	is(t, "h.Timeout", h.Timeout, hook.DefaultTimeout)
	if _, ok := e.Get("missing"); ok {
		t.Error("found a hook that is not there")
	}
	if !e.Remove("b") || e.Remove("b") || e.Len() != 2 {
		t.Error("b was not removed exactly once")
	}
	if steps := fire(t, &e, bash("ls")).Steps; !slices.Equal(ids(steps), []string{"g"}) {
		t.Errorf("a removed hook ran: %v", ids(steps))
	}
	add(t, &e, "b", says(hook.Decision{})) // its id is free again
}

func TestTakenIDIsAnErrorThatNamesBoth(t *testing.T) {
	var e hook.Engine
	add(t, &e, "h", says(hook.Allow("old")), hook.Origin("first.yaml:3"))
	err := e.Add(hook.New("h", says(hook.Block("new")), hook.For("PreToolUse"), hook.Origin("second.yaml:9")))
	if !errors.Is(err, hook.ErrDuplicate) {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{`"h"`, "first.yaml:3", "second.yaml:9"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %s", err, part)
		}
	}
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionAllow || len(out.Steps) != 1 {
		t.Errorf("the old hook is gone: %v", out.Action)
	}
}

func TestReplaceChangesHookAndHandlerTogether(t *testing.T) {
	var e hook.Engine
	add(t, &e, "a", says(hook.Inject("a")))
	add(t, &e, "h", says(hook.Inject("old")), hook.MatchTool("Bash"))
	add(t, &e, "z", says(hook.Inject("z")))
	replaced, err := e.Replace(hook.New("h", says(hook.Inject("new")), hook.For("PreToolUse", "Stop")))
	if err != nil || !replaced || e.Len() != 3 {
		t.Fatalf("replaced %v, %v, %d hooks", replaced, err, e.Len())
	}
	if out := fire(t, &e, hook.ToolUse{ToolName: "Read"}); out.Inject != "a\n\nnew\n\nz" {
		t.Errorf("%q; want the new one in the old one's place", out.Inject)
	}
	if out := fireAt(t, &e, hook.AgentStop, hook.AgentResult{}); out.Inject != "new" {
		t.Errorf("Stop: %q", out.Inject)
	}
	if _, err := e.Replace(hook.New("h", says(hook.Inject("newer")), hook.For("Stop"))); err != nil {
		t.Fatal(err)
	}
	if out := fire(t, &e, bash("ls")); out.Inject != "a\n\nz" {
		t.Errorf("%q; the replaced hook still runs for an event it left", out.Inject)
	}
	if _, err := e.Replace(hook.New("h", nil, hook.For("Stop"))); err == nil {
		t.Error("a broken replacement was taken")
	}
	if out := fireAt(t, &e, hook.AgentStop, hook.AgentResult{}); out.Inject != "newer" {
		t.Errorf("%q; a failed replacement must leave the old one", out.Inject)
	}
	if replaced, err := e.Replace(hook.New("fresh", says(hook.Decision{}), hook.For("Stop"))); replaced || err != nil {
		t.Errorf("replacing nothing: %v, %v; want it added", replaced, err)
	}
}

func TestBrokenHooksAreRefusedWithEveryMistake(t *testing.T) {
	var e hook.Engine
	err := e.Add(hook.Hook{Origin: "hookway.yaml:12", Timeout: -1})
	if err == nil {
		t.Fatal("taken")
	}
	for _, part := range []string{"hookway.yaml:12", "id", "handler", "event", "timeout"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not mention %s", err, part)
		}
	}
	for name, h := range map[string]hook.Hook{
		"nil function":  hook.New("h", hook.HandlerFunc(nil), hook.For("Stop")),
		"unknown event": hook.New("h", says(hook.Decision{}), hook.For("Stop", "PreToolUze")),
		"bad glob":      hook.New("h", says(hook.Decision{}), hook.For("Stop"), hook.MatchPath("[a")),
	} {
		if err := e.Add(h); err == nil || !strings.Contains(err.Error(), `"h"`) {
			t.Errorf("%s: got %v, want err != nil and strings.Contains(err.Error(), `\"h\"`)", name, err)
		}
	}
	if err := hook.On(&e, hook.PreToolUse, nil); err == nil {
		t.Error("On took a nil function")
	}
	if e.Len() != 0 {
		t.Errorf("%d hooks were registered", e.Len())
	}
}

func TestChangesDuringAFiringConcernTheNextOne(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		var e hook.Engine
		add(t, &e, "first", sees(func(_ hook.AnyEvent) {
			if e.Remove("removed") { // only once
				add(t, &e, "added", says(hook.Decision{}), hook.As(lane))
				add(t, &e, "self", says(hook.Decision{}), hook.As(lane))
			}
		}), hook.Priority(1))
		add(t, &e, "removed", says(hook.Decision{}), hook.As(lane))
		if got, want := ids(fire(t, &e, bash("ls")).Steps), []string{"first", "removed"}; !slices.Equal(got, want) {
			t.Errorf("%v: that firing ran %v, want %v", lane, got, want)
		}
		if got, want := ids(fire(t, &e, bash("ls")).Steps), []string{"first", "added", "self"}; !slices.Equal(got, want) {
			t.Errorf("%v: the next one ran %v, want %v", lane, got, want)
		}
	}
}

func TestHandlerMayRemoveAndReplaceItself(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		var e hook.Engine
		add(t, &e, "once", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
			if _, err := e.Replace(hook.New("once", says(hook.Inject("replaced")), hook.For("PreToolUse"))); err != nil {
				return hook.Decision{}, err
			}
			if e.Len() != 1 || len(e.All()) != 1 {
				return hook.Decision{}, errors.New("the registry is confused")
			}
			return hook.Inject("original"), nil
		}), hook.As(lane))
		for _, want := range []string{"original", "replaced", "replaced"} {
			if out := fire(t, &e, bash("ls")); out.Inject != want {
				t.Errorf("%v: %q, want %q (%+v)", lane, out.Inject, want, out.Steps)
			}
		}
		e.Remove("once")
		add(t, &e, "gone", sees(func(_ hook.AnyEvent) {
			e.Remove("gone")
		}), hook.As(lane))
		fire(t, &e, bash("ls"))
		if n := len(fire(t, &e, bash("ls")).Steps); n != 0 {
			t.Errorf("%v: %d steps after it removed itself", lane, n)
		}
	}
}

func TestWithoutHooksNothingIsAllocated(t *testing.T) {
	var empty, other hook.Engine
	add(t, &other, "other", says(hook.Block("no")), hook.For("PostToolUse"))
	for name, e := range map[string]*hook.Engine{"empty engine": &empty, "hooks of another event": &other} {
		use, env := bash("ls"), &hook.Envelope{Session: "s-1"}
		var out hook.Outcome[hook.ToolUse]
		n := allocs(func() { out, _ = hook.Fire(context.Background(), e, hook.PreToolUse, env, use) })
		is(t, fmt.Sprint(name, ": n"), n, 0)
		is(t, fmt.Sprint(name, ": out.Action"), out.Action, hook.ActionContinue)
		is(t, fmt.Sprint(name, ": out.Event"), out.Event, "PreToolUse")
		is(t, fmt.Sprint(name, ": out.Payload.ToolName"), out.Payload.ToolName, "Bash")
	}
}

func TestHookOfSeveralNamesOfOneEventRunsOnce(t *testing.T) {
	var e hook.Engine
	add(t, &e, "h", says(hook.Decision{}), hook.For("PreToolUse", "beforeTool", "*", "pre_tool_use"))
	if got := ids(fire(t, &e, bash("ls")).Steps); len(got) != 1 {
		t.Errorf("ran %v", got)
	}
	add(t, &e, "tools", says(hook.Decision{}), hook.MatchTool("Bash", "Read|Bash", "Bash"))
	if got := ids(fire(t, &e, bash("ls")).Steps); len(got) != 2 {
		t.Errorf("ran %v", got)
	}
	e.Remove("h")
	e.Remove("tools")
	if got := ids(fire(t, &e, bash("ls")).Steps); len(got) != 0 {
		t.Errorf("ran %v after their removal", got)
	}
}

func TestHooksOfEveryEvent(t *testing.T) {
	var e hook.Engine
	add(t, &e, "before", says(hook.Decision{}), hook.For("Stop"), hook.Priority(1))
	add(t, &e, "every", says(hook.Decision{}), hook.For("*"), hook.Priority(2))
	add(t, &e, "after", says(hook.Decision{}), hook.For("Stop"), hook.Priority(3))
	if err := e.Define(hook.Custom("deployed", hook.May{})); err != nil {
		t.Fatal(err)
	}
	for _, info := range e.Events() {
		ev, err := info.New(hook.Envelope{}, info.NewPayload())
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Fire(t.Context(), ev)
		if err != nil || !slices.Contains(ids(out.Steps), "every") {
			t.Errorf("%s: ran %v, %v", info.Name, ids(out.Steps), err)
		}
	}
	if got, want := ids(fireAt(t, &e, hook.AgentStop, hook.AgentResult{}).Steps), []string{"before", "every", "after"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if e.Remove("every"); len(fire(t, &e, bash("ls")).Steps) != 0 {
		t.Error("it ran after its removal")
	}
}

// On names a hook after the line that registers it.
func TestOnNamesHooksAfterTheirPlace(t *testing.T) {
	var e hook.Engine
	for range 2 {
		if err := hook.On(&e, hook.PreToolUse, noop); err != nil {
			t.Fatal(err)
		}
	}
	all := e.All()
	if all[0].ID == all[1].ID || !strings.HasPrefix(all[1].ID, all[0].ID) || !strings.HasPrefix(all[0].Origin, "registry_test.go:") {
		t.Errorf("%q from %q and %q", all[0].ID, all[0].Origin, all[1].ID)
	}
	if err := hook.On(&e, hook.PreToolUse, noop, hook.Named(all[0].ID)); !errors.Is(err, hook.ErrDuplicate) {
		t.Errorf("an id given by name was changed: %v", err)
	}
}

func TestWrapSurroundsLaterHandlers(t *testing.T) {
	var e hook.Engine
	var seen log
	layer := func(name string) func(hook.Hook, hook.Handler) hook.Handler {
		return func(h hook.Hook, next hook.Handler) hook.Handler {
			return does(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				seen.add(fmt.Sprintf("%s %s", name, h.ID))
				return next.Handle(ctx, ev)
			})
		}
	}
	add(t, &e, "before", says(hook.Decision{}))
	e.Wrap(layer("inner"))
	e.Wrap(layer("outer"))
	add(t, &e, "after", says(hook.Allow("yes")))
	out := fire(t, &e, bash("ls"))
	if want := []string{"outer after", "inner after"}; !slices.Equal(seen.all(), want) || out.Action != hook.ActionAllow {
		t.Errorf("%v, want %v", seen.all(), want)
	}
}
