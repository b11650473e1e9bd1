package hook_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// The strongest guard wins, whatever the order in which they stand.
func TestGuardsStrongestAnswerWins(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []hook.Decision
		action  hook.Action
		reason  string
		by      string
	}{
		{"block beats no opinion", []hook.Decision{hook.Block("dangerous"), {}}, hook.ActionBlock, "dangerous", "g0"},
		{"no opinion does not undo a later block", []hook.Decision{{}, hook.Block("dangerous")}, hook.ActionBlock, "dangerous", "g1"},
		{"no opinion alone is no opinion", []hook.Decision{{}}, hook.ActionContinue, "", ""},
		{"no opinion is never an approval", []hook.Decision{{}, {Reason: "looks fine"}}, hook.ActionContinue, "", ""},
		{"block beats ask", []hook.Decision{hook.Ask("sure?"), hook.Block("no")}, hook.ActionBlock, "no", "g1"},
		{"ask beats allow", []hook.Decision{hook.Allow("known"), hook.Ask("sure?")}, hook.ActionAsk, "sure?", "g1"},
		{"ask before allow still asks", []hook.Decision{hook.Ask("sure?"), hook.Allow("known")}, hook.ActionAsk, "sure?", "g0"},
		{"allow beats no opinion", []hook.Decision{{}, hook.Allow("known")}, hook.ActionAllow, "known", "g1"},
		{"a tie goes to the first", []hook.Decision{hook.Block("one"), hook.Block("two")}, hook.ActionBlock, "one", "g0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			for i, d := range c.answers {
				add(t, &e, fmt.Sprintf("g%d", i), says(d), hook.As(hook.Guard))
			}
			out := fire(t, &e, bash("ls"))
			if out.Action != c.action || out.Reason != c.reason || out.By != c.by {
				t.Errorf("got %v %q by %q, want %v %q by %q", out.Action, out.Reason, out.By, c.action, c.reason, c.by)
			}
			if len(out.Steps) != len(c.answers) {
				t.Errorf("%d steps, want one a guard: %v", len(out.Steps), ids(out.Steps))
			}
		})
	}
}

func TestGuardTieGoesToThePriority(t *testing.T) {
	var e hook.Engine
	add(t, &e, "late", says(hook.Block("late")), hook.As(hook.Guard), hook.Priority(50))
	add(t, &e, "early", says(hook.Block("early")), hook.As(hook.Guard), hook.Priority(1))
	if out := fire(t, &e, bash("ls")); out.By != "early" || out.Reason != "early" {
		t.Errorf("decided by %q (%q), want the guard with the lower priority", out.By, out.Reason)
	}
}

// What ends the transform lane ends the firing: no hook after it is asked.
func TestTransformLaneEndsTheFiring(t *testing.T) {
	for _, d := range []hook.Decision{hook.Block("no"), hook.Retry(time.Second), hook.Answer("done")} {
		t.Run(d.Action.String(), func(t *testing.T) {
			var e hook.Engine
			calls := 0
			forbidden := does(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
				calls++
				panic("must not run")
			})
			add(t, &e, "first", says(d), hook.Priority(1))
			add(t, &e, "second", forbidden)
			add(t, &e, "guard", forbidden, hook.As(hook.Guard))
			out := fire(t, &e, bash("ls"))
			if out.Action != d.Action || out.By != "first" || calls != 0 {
				t.Errorf("got %v by %q with %d later calls, want %v by first with none", out.Action, out.By, calls, d.Action)
			}
		})
	}
}

func TestSkipEndsOnlyItsLane(t *testing.T) {
	var e hook.Engine
	add(t, &e, "change", rewrites("command", "ls -l"), hook.Priority(1))
	add(t, &e, "skip", says(hook.Skip()), hook.Priority(2))
	add(t, &e, "never", says(hook.Block("skipped hooks have no say")), hook.Priority(3))
	add(t, &e, "guard", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		use := ev.Body().(hook.ToolUse)
		return hook.Ask("guard saw " + use.Text("command")), nil
	}), hook.As(hook.Guard))
	out := fire(t, &e, bash("ls"))
	if want := []string{"change", "skip", "guard"}; !slices.Equal(ids(out.Steps), want) {
		t.Errorf("steps %v, want %v", ids(out.Steps), want)
	}
	if out.Action != hook.ActionAsk || out.Reason != "guard saw ls -l" || out.Payload.Text("command") != "ls -l" {
		t.Errorf("got %v %q with %q: the change before the skip must stay", out.Action, out.Reason, out.Payload.Text("command"))
	}
}

func TestEqualPrioritiesRunInOrderOfRegistration(t *testing.T) {
	var e hook.Engine
	want := []string{}
	for i := range 8 {
		id := fmt.Sprintf("h%d", 9-i)
		add(t, &e, id, says(hook.Inject(id)), hook.Priority(7))
		want = append(want, id)
	}
	for run := range 1000 {
		if out := fire(t, &e, bash("ls")); out.Inject != strings.Join(want, "\n\n") || !slices.Equal(ids(out.Steps), want) {
			t.Fatalf("run %d: %v, want %v", run, ids(out.Steps), want)
		}
	}
}

func TestLowerPriorityRunsFirst(t *testing.T) {
	var e hook.Engine
	for _, p := range []int{100, -5, 10, 0} {
		add(t, &e, fmt.Sprint(p), says(hook.Decision{}), hook.Priority(p))
	}
	add(t, &e, "default", says(hook.Decision{}))
	if got, want := ids(fire(t, &e, bash("ls")).Steps), []string{"-5", "0", "10", "100", "default"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestSecondRewriteSeesTheFirst(t *testing.T) {
	var e hook.Engine
	suffix := func(s string) hook.Handler {
		return does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			use := ev.Body().(hook.ToolUse)
			return hook.Change(use.WithInput("command", use.Text("command")+s)), nil
		})
	}
	add(t, &e, "a", suffix(" -a"))
	add(t, &e, "b", suffix(" -b"))
	add(t, &e, "c", rewrites("timeout", 5))
	given := bash("ls")
	out := fire(t, &e, given)
	if want := map[string]any{"command": "ls -a -b", "timeout": 5}; !reflect.DeepEqual(out.Payload.ToolInput, want) {
		t.Errorf("input %v, want %v", out.Payload.ToolInput, want)
	}
	if !out.Changed || given.Text("command") != "ls" {
		t.Errorf("changed %v, and the caller's payload reads %q", out.Changed, given.Text("command"))
	}
	for _, s := range out.Steps {
		if !s.Changed {
			t.Errorf("the step of %s does not say that it changed the payload", s.Hook)
		}
	}
}

func TestGuardMayNotChangeThePayload(t *testing.T) {
	var e hook.Engine
	add(t, &e, "g", rewrites("command", "rm -rf /"), hook.As(hook.Guard))
	out := fire(t, &e, bash("ls"))
	var refused *hook.RefusedError
	if out.Changed || out.Payload.Text("command") != "ls" || !errors.As(out.Steps[0].Err, &refused) {
		t.Errorf("changed %v to %q, step %+v: want a refusal", out.Changed, out.Payload.Text("command"), out.Steps[0])
	}
}

func TestGuardsSeeTheFinalPayload(t *testing.T) {
	var e hook.Engine
	add(t, &e, "no-rm", says(hook.Block("no")), hook.As(hook.Guard), hook.Priority(-1000), hook.MatchCommand(`rm\s+-rf`))
	add(t, &e, "sneaky", rewrites("command", "rm  -rf /"), hook.Priority(1000))
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.By != "no-rm" {
		t.Errorf("got %v by %q: a rewrite slipped past the guard", out.Action, out.By)
	}
}

func TestInjectedTextsAreJoinedInHookOrder(t *testing.T) {
	var e hook.Engine
	add(t, &e, "b", says(hook.Decision{Action: hook.ActionAllow, Inject: "B"}), hook.Priority(10))
	add(t, &e, "broken", fails(errors.New("no")), hook.Priority(5))
	add(t, &e, "a", says(hook.Inject("A")), hook.Priority(1))
	add(t, &e, "g", says(hook.Inject("G")), hook.As(hook.Guard))
	out := fire(t, &e, bash("ls"))
	if out.Inject != "A\n\nB\n\nG" || out.Action != hook.ActionAllow {
		t.Errorf("inject %q with %v, want A, B and G with allow", out.Inject, out.Action)
	}
	for _, s := range out.Steps {
		if s.Injected != (s.Hook != "broken") {
			t.Errorf("step %s: injected %v", s.Hook, s.Injected)
		}
	}
}

func TestInjectComesWithAnyAction(t *testing.T) {
	for _, action := range []hook.Action{hook.ActionContinue, hook.ActionAllow, hook.ActionAsk, hook.ActionBlock, hook.ActionRetry, hook.ActionSkip, hook.ActionAnswer} {
		var e hook.Engine
		add(t, &e, "h", says(hook.Decision{Action: action, Inject: "note"}))
		if out := fire(t, &e, bash("ls")); out.Inject != "note" {
			t.Errorf("%v: inject %q", action, out.Inject)
		}
	}
}

func TestDecisionDefaults(t *testing.T) {
	var e hook.Engine
	add(t, &e, "again", says(hook.Retry(0)))
	if out := fire(t, &e, bash("ls")); out.RetryDelay != time.Second {
		t.Errorf("retry without a delay waits %v, want 1s", out.RetryDelay)
	}
	e.Remove("again")
	add(t, &e, "stop", says(hook.Block("")))
	if out := fire(t, &e, bash("ls")); out.Reason != "Blocked by hook stop" {
		t.Errorf("block without a reason says %q", out.Reason)
	}
	e.Remove("stop")
	add(t, &e, "sure", says(hook.Ask("")))
	if out := fire(t, &e, bash("ls")); !strings.Contains(out.Reason, "sure") {
		t.Errorf("ask without a reason says %q, want the hook's name", out.Reason)
	}
}

func TestUserMessagesAreKeptApartFromReasons(t *testing.T) {
	var e hook.Engine
	add(t, &e, "a", says(hook.Decision{UserMessage: "one"}))
	add(t, &e, "b", says(hook.Decision{Action: hook.ActionBlock, Reason: "for the agent", UserMessage: "two"}))
	if out := fire(t, &e, bash("ls")); out.UserMessage != "one\ntwo" || out.Reason != "for the agent" {
		t.Errorf("user %q, agent %q", out.UserMessage, out.Reason)
	}
}

func TestMessageRewrittenThenSuppressedIsSuppressed(t *testing.T) {
	var e hook.Engine
	for _, p := range []hook.Point[hook.Message]{hook.MessageReceived, hook.MessageSending} {
		rewrite := func(_ context.Context, ev *hook.Event[hook.Message]) (hook.Decision, error) {
			m := ev.Payload
			m.Content = "[redacted]"
			return hook.Change(m), nil
		}
		if err := hook.On(&e, p, rewrite, hook.Named("rewrite-"+p.Name()), hook.Priority(1)); err != nil {
			t.Fatal(err)
		}
		add(t, &e, "suppress-"+p.Name(), says(hook.Block("spam")), hook.For(p.Name()), hook.Priority(2))
		add(t, &e, "revive-"+p.Name(), says(hook.Decision{}), hook.For(p.Name()), hook.Priority(3))
		out := fireAt(t, &e, p, hook.Message{From: "Alice", Content: "hello"})
		if out.Action != hook.ActionBlock || out.Payload.Content != "[redacted]" || len(out.Steps) != 2 {
			t.Errorf("%s: %v with %q after %v", p.Name(), out.Action, out.Payload.Content, ids(out.Steps))
		}
	}
}

// An agent that has to go on each time it stops must come to rest.
func TestAgentStopIsHeldAtMostMaxContinuesTimes(t *testing.T) {
	for _, c := range []struct{ set, want int }{{0, hook.DefaultMaxContinues}, {3, 3}} {
		e := hook.Engine{MaxContinues: c.set}
		add(t, &e, "go-on", says(hook.Block("write the tests")), hook.For("Stop"))
		held := func(session string, active bool) bool {
			out, err := hook.Fire(t.Context(), &e, hook.AgentStop, &hook.Envelope{Session: session}, hook.AgentResult{StopHookActive: active})
			if err != nil {
				t.Fatal(err)
			}
			if out.Action != hook.ActionBlock && (out.Reason != "" || !strings.Contains(out.UserMessage, "go-on")) {
				t.Errorf("let go with reason %q and message %q, want a warning for the user", out.Reason, out.UserMessage)
			}
			return out.Action == hook.ActionBlock
		}
		for range 3 * c.want { // a stop of its own starts over each time
			if !held("fresh", false) {
				t.Fatal("a first stop was not held")
			}
		}
		for i := range c.want {
			if !held("s", true) {
				t.Fatalf("let go after %d, want %d", i, c.want)
			}
		}
		if held("s", true) {
			t.Errorf("held more than %d times in a row", c.want)
		}
		if !held("other", true) {
			t.Error("one session's count was charged to another")
		}
		for i := range c.want { // the first is the agent's own, and begins a row
			if !held("s", i > 0) {
				t.Fatalf("let go after %d since a stop of the agent's own, want %d", i, c.want)
			}
		}
		if held("s", true) {
			t.Errorf("held more than %d times since a stop of the agent's own", c.want)
		}
	}
}

// TestSubagentStopIsHeldAtMostMaxContinuesTimes: with an id and without.
func TestSubagentStopIsHeldAtMostMaxContinuesTimes(t *testing.T) {
	for _, id := range []string{"a1", ""} {
		e := hook.Engine{MaxContinues: 3}
		add(t, &e, "more", says(hook.Block("there is more")), hook.For("SubagentStop"))
		stop := func(kind string) hook.Verdict {
			env := &hook.Envelope{Session: "s", Metadata: map[string]any{"native": map[string]any{"agent_id": id}}}
			out, err := hook.Fire(t.Context(), &e, hook.SubagentStop, env, hook.Subagent{AgentType: kind})
			if err != nil {
				t.Fatal(err)
			}
			return out.Verdict
		}
		for i := range 3 {
			if v := stop("reviewer"); v.Action != hook.ActionBlock || v.Reason != "there is more" {
				t.Fatalf("%q: let go after %d, want 3: %+v", id, i, v)
			}
		}
		if v := stop("reviewer"); v.Action != hook.ActionContinue || !strings.Contains(v.UserMessage, "3 times in a row") {
			t.Errorf(`%q: got %+v, want v.Action == hook.ActionContinue and strings.Contains(v.UserMessage, "3 times in a row")`, id, v)
		}
		if v := stop("other"); id == "" && v.Action != hook.ActionBlock {
			t.Errorf("another's count was charged to it: %+v", v)
		}
	}
}

// TestTextForOneWhoStopsCountsAsGoingOn: there are agents that do not stop then.
func TestTextForOneWhoStopsCountsAsGoingOn(t *testing.T) {
	e := hook.Engine{MaxContinues: 2}
	add(t, &e, "tell", says(hook.Inject("there is more")), hook.For("AgentStop", "SubagentStop"))
	stop := func(active bool) hook.Verdict {
		out, err := hook.Fire(t.Context(), &e, hook.AgentStop, &hook.Envelope{Session: "s"}, hook.AgentResult{StopHookActive: active})
		if err != nil {
			t.Fatal(err)
		}
		return out.Verdict
	}
	sub := func(id string) hook.Verdict {
		env := &hook.Envelope{Session: "s", Metadata: map[string]any{}}
		if id != "" {
			env.Metadata["agent_id"] = id
		}
		out, err := hook.Fire(t.Context(), &e, hook.SubagentStop, env, hook.Subagent{})
		if err != nil {
			t.Fatal(err)
		}
		return out.Verdict
	}
	for i := range 2 {
		for n, v := range []hook.Verdict{stop(i > 0), sub("a"), sub(""), sub("")} { // whose stops have no id tell nothing
			if v.Inject == "" {
				t.Fatalf("%d was let go after %d, want 2", n, i)
			}
		}
	}
	for who, v := range map[string]hook.Verdict{"the agent": stop(true), "a sub-agent": sub("a")} {
		if v.Inject != "" || !strings.Contains(v.UserMessage, "2 times in a row") {
			t.Errorf("%s gets %q, and the user %q", who, v.Inject, v.UserMessage)
		}
	}
	if sub("b").Inject == "" || stop(false).Inject == "" {
		t.Error("one's count was charged to another")
	}
}
