package hook_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/hookway/hookway/hook"
)

// counted is an engine whose analyser gives the call's command as a fact, and how
// often it was asked.
func counted() (*hook.Engine, *atomic.Int32) {
	n := new(atomic.Int32)
	return &hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact {
		n.Add(1)
		call, _ := hook.CallOf(ev)
		text, _ := call.Input["command"].(string)
		return []hook.Fact{{Does: "run", Program: text, Sure: true}}
	}}, n
}

// reads adds a hook that reads the facts, and blocks a program.
func reads(t *testing.T, e *hook.Engine, id, program string, options ...hook.Option) {
	t.Helper()
	err := hook.On(e, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		for _, f := range ev.Facts() {
			if f.Program == program {
				return hook.Decision{Action: hook.ActionBlock, Reason: "no " + program, Rule: "own/" + program + "@1"}, nil
			}
		}
		return hook.Continue(), nil
	}, append([]hook.Option{hook.Named(id)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
}

func TestFactsAreFoundOnceForEachPayload(t *testing.T) {
	e, asked := counted()
	reads(t, e, "one", "rm")
	reads(t, e, "two", "rm")
	err := hook.On(e, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		return hook.Decision{Modified: bash("ls"), Metadata: map[string]any{"seen": true}}, nil
	}, hook.Named("three"), hook.Priority(200))
	if err != nil {
		t.Fatal(err)
	}
	reads(t, e, "four", "rm", hook.As(hook.Guard))
	reads(t, e, "five", "rm", hook.As(hook.Guard))
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("git"))
	if err != nil || out.Action != hook.ActionContinue {
		t.Fatalf("got %v, %v", out.Action, err)
	}
	if got := asked.Load(); got != 2 {
		t.Errorf("the analyser was asked %d times, want once for the call and once for the changed one", got)
	}
	if len(out.Facts) != 1 || out.Facts[0].Program != "ls" {
		t.Errorf("the outcome has the facts %v, want those of the call as it runs", out.Facts)
	}
}

func TestNobodyAsksNothingIsFound(t *testing.T) {
	e, asked := counted()
	if err := e.Add(hook.New("blind", hook.Static(hook.Inject("x")), hook.For("PreToolUse"))); err != nil {
		t.Fatal(err)
	}
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("git"))
	if err != nil || asked.Load() != 0 || out.Facts != nil {
		t.Errorf("asked %d times, facts %v, %v; want none", asked.Load(), out.Facts, err)
	}
}

func TestFactsOnlyOfToolCalls(t *testing.T) {
	e, asked := counted()
	err := hook.On(e, hook.AgentStart, func(_ context.Context, ev *hook.Event[hook.AgentRun]) (hook.Decision, error) {
		if f := ev.Facts(); f != nil {
			t.Errorf("a prompt has the facts %v", f)
		}
		return hook.Continue(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hook.Fire(t.Context(), e, hook.AgentStart, nil, hook.AgentRun{Prompt: "rm"}); err != nil || asked.Load() != 0 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
}

func TestAnalyserThatPanics(t *testing.T) {
	e := &hook.Engine{Analyse: func(context.Context, hook.AnyEvent) []hook.Fact { panic("out of\nwits") }}
	reads(t, e, "one", "rm")
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("rm"))
	if err != nil || len(out.Facts) != 1 || out.Facts[0].Does != "unknown" {
		t.Fatalf("got facts %+v, %v; want one that is unknown", out.Facts, err)
	}
	if want := "the analysis of the call failed: out of wits"; out.Facts[0].Because != want {
		t.Errorf("because %q, want %q", out.Facts[0].Because, want)
	}
}

func TestMonitoredHookHasNoEffect(t *testing.T) {
	e, _ := counted()
	reads(t, e, "trial", "rm", hook.As(hook.Guard), hook.Monitored())
	if err := e.Add(hook.New("change", hook.Static(hook.Decision{Modified: bash("ls"), Inject: "x", UserMessage: "y"}), hook.For("PreToolUse"), hook.Monitored())); err != nil {
		t.Fatal(err)
	}
	if err := e.Add(hook.New("fails", hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) { panic("x") }), hook.For("PreToolUse"), hook.As(hook.Guard), hook.Monitored())); err != nil {
		t.Fatal(err)
	}
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("rm"))
	if err != nil {
		t.Fatal(err)
	}
	if out.Action != hook.ActionContinue || out.Changed {
		t.Errorf("got %+v, want no effect", out.Verdict)
	} else if got, want := fmt.Sprint([]any{out.Inject, out.UserMessage, out.By}), fmt.Sprint([]any{"", "", ""}); got != want {
		t.Errorf("got %+v, want no effect: got %s, want %s", out.Verdict, got, want)
	}
	would := map[string]*hook.Would{}
	for _, s := range out.Steps {
		would[s.Hook] = s.Would
		if s.Action != hook.ActionContinue {
			t.Errorf("step %s has the action %s, want continue", s.Hook, s.Action)
		}
	}
	if w := would["trial"]; w == nil || *w != (hook.Would{Action: hook.ActionBlock, Reason: "no rm", Rule: "own/rm@1"}) {
		t.Errorf("trial would %+v, want a block by the rule", w)
	}
	if w := would["change"]; w == nil || !w.Change {
		t.Errorf("change would %+v, want a change", w)
	}
	if w := would["fails"]; w == nil || w.Action != hook.ActionBlock {
		t.Errorf("fails would %+v, want a block", w)
	}
}

func TestRuleOfTheDecisionThatCounts(t *testing.T) {
	e, _ := counted()
	reads(t, e, "one", "rm", hook.As(hook.Guard))
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("rm"))
	if err != nil || out.Rule != "own/rm@1" || out.Steps[0].Rule != "own/rm@1" {
		t.Errorf("rule %q, step %q, %v", out.Rule, out.Steps[0].Rule, err)
	}
}

// A guard that works on a copy of the event sees what the call does, too.
func TestCopiesOfEventsHaveFacts(t *testing.T) {
	e, _ := counted()
	err := hook.On(e, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		copied := ev.Clone().(*hook.Event[hook.ToolUse])
		copied.Payload.ToolInput["command"] = "ls"
		own, others := copied.Facts(), ev.Facts()
		if len(own) != 1 || own[0].Program != "ls" {
			t.Errorf("the copy has the facts %v, want those of its own command", own)
		}
		if len(others) != 1 || others[0].Program != "rm" {
			t.Errorf("the event has the facts %v, want those of its command", others)
		}
		return hook.Continue(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("rm")); err != nil {
		t.Fatal(err)
	}
}
