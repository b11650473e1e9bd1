package hook_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

var asClaude = hook.WithProfile(hook.ProfileClaude)

func TestHooksOfClaudeCodeRunSideBySide(t *testing.T) {
	var e hook.Engine
	var all sync.WaitGroup
	all.Add(3)
	meets := sees(func(_ hook.AnyEvent) {
		all.Done()
		all.Wait() // all are asked before any goes on
	})
	for _, id := range []string{"a", "b", "c"} {
		add(t, &e, id, meets, asClaude)
	}
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionContinue || !slices.Equal(ids(out.Steps), []string{"a", "b", "c"}) {
		t.Errorf(`got %+v, want out.Action == hook.ActionContinue and slices.Equal(ids(out.Steps), []string{"a", "b", "c"})`, out.Verdict)
	}
}

func TestAllHooksOfClaudeCodeRunAndTheirAnswersJoin(t *testing.T) {
	var e hook.Engine
	rewrite := func(command string) hook.Handler {
		return does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			seen := ev.Body().(hook.ToolUse).ToolInput["command"].(string)
			d := hook.Change(bash(command + " after " + seen))
			d.Inject = "from " + command
			return d, nil
		})
	}
	var last atomic.Int32
	add(t, &e, "allows", says(hook.Decision{Action: hook.ActionAllow, Reason: "fine"}), asClaude)
	add(t, &e, "own", does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { last.Add(1); return hook.Decision{}, nil }))
	add(t, &e, "one", rewrite("one"), asClaude)
	add(t, &e, "other tool", says(hook.Block("no")), asClaude, hook.Matching(hook.Match{Tool: []string{"Read"}}))
	add(t, &e, "two", rewrite("two"), asClaude)
	out := fire(t, &e, bash("ls"))
	is(t, "out.Action", out.Action, hook.ActionAllow)
	is(t, "out.By", out.By, "allows")
	if out.Payload.ToolInput["command"] != "two after ls" {
		t.Errorf("out.Payload.ToolInput[\"command\"]: got %v, want %v", out.Payload.ToolInput["command"], "two after ls")
	}
	is(t, "out.Inject", out.Inject, "from one\n\nfrom two")
	if got := strings.Join(ids(out.Steps), " "); got != "allows one two own" || last.Load() != 1 {
		t.Errorf("asked %s", got)
	}

	add(t, &e, "asks", says(hook.Decision{Action: hook.ActionAsk, Reason: "sure?"}), asClaude)
	if out = fire(t, &e, bash("ls")); out.Action != hook.ActionAsk || out.By != "asks" {
		t.Errorf("%s by %s", out.Action, out.By)
	}
	add(t, &e, "blocks", says(hook.Block("first")), asClaude)
	add(t, &e, "blocks too", says(hook.Block("second")), asClaude)
	if out = fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.Reason != "first" {
		t.Errorf(`got %s %q, want out.Action == hook.ActionBlock and out.Reason == "first"`, out.Action, out.Reason)
	}
	if got := strings.Join(ids(out.Steps), " "); got != "allows one two asks blocks blocks too" || last.Load() != 2 {
		t.Errorf("after a block were asked %s; the hook behind the group ran %d times", got, last.Load())
	}
}

func TestGroupsOfOtherPriorityFollowOnOneAnother(t *testing.T) {
	var e hook.Engine
	add(t, &e, "late", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Inject("sees " + ev.Body().(hook.ToolUse).ToolInput["command"].(string)), nil
	}), asClaude, hook.Priority(200))
	add(t, &e, "early", says(hook.Change(bash("changed"))), asClaude)
	if out := fire(t, &e, bash("ls")); out.Inject != "sees changed" {
		t.Errorf(`got %q, want "sees changed"`, out.Inject)
	}
	add(t, &e, "skips", says(hook.Decision{Action: hook.ActionSkip}), asClaude)
	if out := fire(t, &e, bash("ls")); out.Inject != "" || len(out.Steps) != 2 {
		t.Errorf("a skip: %+v", out.Verdict)
	}
}

func TestTheSameHookOfClaudeCodeIsAskedOnce(t *testing.T) {
	var e hook.Engine
	var asked atomic.Int32
	for _, id := range []string{"a", "b", "c"} {
		h := hook.New(id, does(func(context.Context, hook.AnyEvent) (hook.Decision, error) { asked.Add(1); return hook.Decision{}, nil }), asClaude, hook.For("PreToolUse"))
		if h.Same = "x"; id == "c" {
			h.Same = "y"
		}
		if err := e.Add(h); err != nil {
			t.Fatal(err)
		}
	}
	if fire(t, &e, bash("ls")); asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestAGroupWhoseCallerGivesUpIsAborted(t *testing.T) {
	var e hook.Engine
	ctx, cancel := context.WithCancel(context.Background())
	waits := does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		cancel()
		<-ctx.Done()
		return hook.Decision{}, ctx.Err()
	})
	add(t, &e, "a", waits, asClaude, hook.Timeout(time.Hour))
	add(t, &e, "b", waits, asClaude, hook.Timeout(time.Hour))
	if out, err := hook.Fire(ctx, &e, hook.PreToolUse, nil, bash("ls")); err == nil || out.Action != hook.ActionBlock {
		t.Errorf("got %s, %v, want err != nil and out.Action == hook.ActionBlock", out.Action, err)
	}
}

// BenchmarkTwoHooksOfOneSecond is two hooks of Claude Code that take a second each.
func BenchmarkTwoHooksOfOneSecond(b *testing.B) {
	var e hook.Engine
	slow := sees(func(_ hook.AnyEvent) {
		time.Sleep(time.Second)
	})
	add(b, &e, "a", slow, asClaude, hook.Timeout(time.Minute))
	add(b, &e, "b", slow, asClaude, hook.Timeout(time.Minute))
	for b.Loop() {
		fire(b, &e, bash("ls"))
	}
}
