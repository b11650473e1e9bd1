package hook_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
)

// received keeps what a hook of hooks got.
type received struct {
	mu   sync.Mutex
	list []string
}

func (h *received) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	c := ev.Body().(hook.HookChange)
	words := []string{strings.TrimPrefix(ev.Info().Name, "Hook"), c.HookID, c.HookName, strings.Join(c.Events, "+"), c.Event, c.Lane, c.Action, c.Error, ev.Head().Session}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, strings.TrimRight(strings.Join(words, " "), " "))
	return hook.Block("not observed"), nil
}

func (h *received) said() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

var ofHooks = hook.For("hook:registered", "hook:unregistered", "HookStarted", "hook-completed", "onHookError")

func TestHooksAreToldOfHooks(t *testing.T) {
	var e hook.Engine
	var h received
	if err := e.Add(hook.New("tells", &h, ofHooks, hook.As(hook.Guard))); err != nil {
		t.Fatal(err)
	}
	named := hook.New("a", says(hook.Block("no")), hook.For("PreToolUse"))
	named.Name = "Guard of shells"
	broken := hook.New("b", fails(errors.New("bad luck")), hook.For("PreToolUse", "PostToolUse"), hook.Priority(1))
	for _, one := range []hook.Hook{named, broken, hook.New("all", says(hook.Decision{}), hook.For("*"), hook.Priority(2))} {
		if err := e.Add(one); err != nil {
			t.Fatal(err)
		}
	}
	out, err := hook.Fire(context.Background(), &e, hook.PreToolUse, &hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash"})
	if err != nil || out.Action != hook.ActionBlock || out.By != "a" {
		t.Fatalf(`got %+v, %v, want err == nil and out.Action == hook.ActionBlock and out.By == "a"`, out.Verdict, err)
	}
	e.Remove("a")
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Registered a Guard of shells PreToolUse", "Registered b  PreToolUse+PostToolUse", "Registered all  *",
		"Started b  PreToolUse+PostToolUse PreToolUse transform   s", "Error b  PreToolUse+PostToolUse PreToolUse transform  bad luck s",
		"Started all  * PreToolUse transform   s", "Completed all  * PreToolUse transform continue  s",
		"Started a Guard of shells PreToolUse PreToolUse transform   s", "Completed a Guard of shells PreToolUse PreToolUse transform block  s",
		"Unregistered a Guard of shells PreToolUse",
	}
	if got := h.said(); !slices.Equal(got, want) {
		t.Errorf("it got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHooksOfHooksAreHooks(t *testing.T) {
	var e hook.Engine
	var h received
	var w watched
	e.Watch(w.tell)
	tells := hook.New("tells", &h, ofHooks)
	for _, step := range []func() error{
		func() error { return e.Add(tells) },
		func() error { return e.Add(hook.New("x", says(hook.Decision{}), hook.For("Idle"))) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Add(tells); !errors.Is(err, hook.ErrDuplicate) {
		t.Errorf("its id is taken: %v", err)
	}
	tells.ID = "x"
	if err := e.Add(tells); !errors.Is(err, hook.ErrDuplicate) {
		t.Errorf("another's id is taken: %v", err)
	}
	if err := e.Add(hook.New("tells", &h, hook.For("Idle"))); !errors.Is(err, hook.ErrDuplicate) {
		t.Errorf("its id is taken for another: %v", err)
	}
	if err := e.Add(hook.New("both", &h, hook.For("Idle", "hook:error"))); err == nil || !strings.Contains(err.Error(), "for such events alone") {
		t.Errorf("a hook of both: %v", err)
	}
	switch got, ok := e.Get("tells"); {
	case !ok:
		t.Errorf("it is listed as %+v, %d", got, e.Len())
	case got.Lane != hook.Observe:
		t.Errorf("got.Lane: got %v, want %v", got.Lane, hook.Observe)
	case e.Len() != 2:
		t.Errorf("e.Len(): got %v, want %v", e.Len(), 2)
	case len(e.All()) != 2:
		t.Errorf("it is listed as %+v, %d", got, e.Len())
	}
	if replaced, err := e.Replace(tells); err != nil || !replaced { // x now gets events about hooks
		t.Errorf("replaced %v, %v", replaced, err)
	}
	is(t, "e.Len()", e.Len(), 2)
	if !e.Remove("x") || e.Remove("x") || !e.Remove("tells") {
		t.Errorf("there are still %v", e.All())
	}
	is(t, "e.Len()", e.Len(), 0)
	want := []string{"HookRegistered tells", "HookRegistered x", "HookUnregistered x", "HookRegistered x", "HookUnregistered x", "HookUnregistered tells"}
	if got, _ := w.take(); !slices.Equal(got, want) {
		t.Errorf("watchers got %v", got)
	}
}

// One that fails, or that is asked of itself, goes round in no circle.
func TestHooksOfHooksThatFailAreToldToWatchersOnly(t *testing.T) {
	var e hook.Engine
	var w watched
	if err := e.Add(hook.New("tells", fails(errors.New("bad luck")), ofHooks)); err != nil {
		t.Fatal(err)
	}
	e.Watch(w.tell)
	add(t, &e, "x", says(hook.Decision{}))
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, _ := w.take()
	slices.Sort(got) // it fails beside
	if !slices.Equal(got, []string{"HookError tells", "HookRegistered x"}) {
		t.Errorf("watchers got %v", got)
	}
	info, err := hook.Lookup("hook:error")
	if err != nil {
		t.Fatal(err)
	}
	ev, err := info.New(hook.Envelope{}, hook.HookChange{HookID: "y"})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := e.Fire(context.Background(), ev); err != nil || out.Action != hook.ActionContinue {
		t.Errorf("fired by hand: %+v, %v", out.Verdict, err)
	}
}

// A hook that cannot be registered takes the place of none, whichever hooks it would be
// informed of.
func TestAWrongHookOfHooksReplacesNone(t *testing.T) {
	var e hook.Engine
	add(t, &e, "g", says(hook.Block("no")), hook.As(hook.Guard))
	if _, err := e.Replace(hook.New("g", says(hook.Continue()), hook.For("hook:error"), hook.Matching(hook.Match{Agent: []string{"[a-"}}))); err == nil {
		t.Error("a wrong pattern was taken")
	}
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock {
		t.Errorf("then the guard says %v, want block", out.Action)
	}
	replaced, err := e.Replace(hook.New("g", says(hook.Continue()), hook.For("hook:error")))
	if err != nil || !replaced || e.Len() != 1 {
		t.Errorf("got %v, %v and %d hooks, want it replaced and 1", replaced, err, e.Len())
	}
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionContinue {
		t.Errorf("then the engine says %v, want continue", out.Action)
	}
}
