package hook_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

func TestProfileOpenClawRunsHigherPrioritiesFirst(t *testing.T) {
	var e hook.Engine
	open := hook.WithProfile(hook.ProfileOpenClaw)
	add(t, &e, "default", says(hook.Decision{}), open)
	add(t, &e, "low", says(hook.Decision{}), open, hook.Priority(-10))
	add(t, &e, "high", says(hook.Decision{}), open, hook.Priority(50))
	add(t, &e, "higher", says(hook.Decision{}), open, hook.Priority(60))
	add(t, &e, "ours", says(hook.Decision{})) // priority 100, lower first
	if got, want := ids(fire(t, &e, bash("ls")).Steps), []string{"higher", "high", "default", "low", "ours"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	h, _ := e.Get("default")
	if h.Priority != 0 {
		t.Errorf("default priority %d, want 0", h.Priority)
	}
}

// Hooks of these systems see the event as it was fired; of two rewrites of one
// field the last wins, and rewrites of different fields are both kept.
func TestProfilesThatSeeTheOriginal(t *testing.T) {
	for _, p := range []hook.Profile{hook.ProfileOpenClaw, hook.ProfileA3S} {
		t.Run(p.Name, func(t *testing.T) {
			var e hook.Engine
			var saw log
			rewrite := func(set map[string]any) hook.Handler {
				return does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
					use := ev.Body().(hook.ToolUse)
					saw.add(use.Text("command"))
					for k, v := range set {
						use = use.WithInput(k, v)
					}
					return hook.Change(use), nil
				})
			}
			add(t, &e, "a", rewrite(map[string]any{"command": "one", "timeout": 1}), hook.WithProfile(p))
			add(t, &e, "b", rewrite(map[string]any{"command": "two", "shell": "zsh"}), hook.WithProfile(p))
			out := fire(t, &e, bash("zero"))
			if got := saw.all(); !slices.Equal(got, []string{"zero", "zero"}) {
				t.Errorf("saw %v", got)
			}
			if want := map[string]any{"command": "two", "timeout": 1, "shell": "zsh"}; !reflect.DeepEqual(out.Payload.ToolInput, want) {
				t.Errorf("input %v, want %v", out.Payload.ToolInput, want)
			}
		})
	}
}

// The same holds inside of objects, for what is taken out, and for events whose
// payload is a map.
func TestProfilesThatSeeTheOriginalMergeDeeply(t *testing.T) {
	var e hook.Engine
	info := hook.Custom("custom", hook.May{Change: []string{"*"}})
	if err := e.Define(info); err != nil {
		t.Fatal(err)
	}
	original := map[string]any{"keep": 1, "drop": 2, "deep": map[string]any{"a": 1, "b": 1, "c": []any{1}}}
	for id, payload := range map[string]map[string]any{
		"a": {"keep": 1, "deep": map[string]any{"a": 2, "b": 1, "c": []any{1}}},
		"b": {"keep": 1, "drop": 2, "deep": map[string]any{"a": 1, "b": 3, "c": []any{1, 2}}, "new": true},
	} {
		add(t, &e, id, says(hook.Change(payload)), hook.For("custom"), hook.WithProfile(hook.ProfileOpenClaw))
	}
	ev, err := info.New(hook.Envelope{}, original)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Fire(t.Context(), ev)
	want := map[string]any{"keep": 1, "deep": map[string]any{"a": 2, "b": 3, "c": []any{1, 2}}, "new": true}
	if err != nil || !reflect.DeepEqual(out.Payload, want) {
		t.Errorf("%v, %v; want %v", out.Payload, err, want)
	}
	if len(original) != 3 || len(original["deep"].(map[string]any)) != 3 || original["deep"].(map[string]any)["a"] != 1 {
		t.Errorf("the caller's payload was edited: %v", original)
	}
}

func TestProfileA3SDropsChangesOnSkip(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile hook.Profile
		want    string
	}{{"a3s", hook.ProfileA3S, "zero"}, {"ours", hook.Profile{}, "one"}} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			var seen log
			add(t, &e, "change", rewrites("command", "one"), hook.Priority(1))
			add(t, &e, "skip", says(hook.Skip()), hook.WithProfile(c.profile), hook.Priority(2))
			add(t, &e, "never", says(hook.Block("no")), hook.Priority(3))
			add(t, &e, "guard", seen.notes(), hook.As(hook.Guard))
			out := fire(t, &e, bash("zero"))
			if out.Payload.Text("command") != c.want || out.Changed != (c.want == "one") || out.Action != hook.ActionContinue {
				t.Errorf("%v, changed %v, %q; want %q", out.Action, out.Changed, out.Payload.Text("command"), c.want)
			}
			if !slices.Equal(seen.all(), []string{c.want}) {
				t.Errorf("the guard saw %v", seen.all())
			}
		})
	}
}

// A dropped change takes nothing else with it.
func TestDroppedChangesLeaveMetadata(t *testing.T) {
	var e hook.Engine
	add(t, &e, "tell", says(hook.Decision{Metadata: map[string]any{"risk": "high"}, Inject: "note"}))
	add(t, &e, "skip", says(hook.Skip()), hook.WithProfile(hook.ProfileA3S))
	if out := fire(t, &e, bash("ls")); out.Metadata["risk"] != "high" || out.Inject != "note" {
		t.Errorf("metadata %v, inject %q", out.Metadata, out.Inject)
	}
}

func TestProfileAcaiFailsOpen(t *testing.T) {
	for _, c := range []struct {
		policy hook.Failure
		want   hook.Action
	}{{hook.FailDefault, hook.ActionContinue}, {hook.FailClosed, hook.ActionBlock}} {
		var e hook.Engine
		add(t, &e, "g", fails(errBroken), hook.As(hook.Guard), hook.WithProfile(hook.ProfileAcai), hook.OnFailure(c.policy))
		if out := fire(t, &e, bash("ls")); out.Action != c.want || out.Steps[0].Err == nil {
			t.Errorf("%v: got %v, want out.Action == c.want and out.Steps[0].Err != nil", c.policy, out.Action)
		}
	}
}

// Whatever goes wrong with a hook of acai, the event goes on as it was.
func TestProfileAcaiGoesOnWithTheEventAsItWas(t *testing.T) {
	for _, f := range failures {
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			t.Run(f.name+"/"+lane.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var e hook.Engine
					add(t, &e, "h", f.handler, hook.As(lane), hook.WithProfile(hook.ProfileAcai), hook.Timeout(time.Second))
					add(t, &e, "next", says(hook.Decision{}), hook.As(lane))
					out := fire(t, &e, bash("ls"))
					is(t, "out.Action", out.Action, hook.ActionContinue)
					if out.Changed || out.Payload.Text("command") != "ls" {
						t.Errorf("%v with %q, steps %v", out.Action, out.Payload.Text("command"), ids(out.Steps))
					}
					is(t, "len(out.Steps)", len(out.Steps), 2)
					if err := out.Steps[0].Err; err == nil || !f.is(err) {
						t.Errorf("the step's error is %v", err)
					}
				})
			})
		}
	}
}

func TestDefaultPrioritiesOfProfiles(t *testing.T) {
	for name, want := range map[string]int{"acai": 100, "openclaw": 0, "compilr": 0, "a3s": 100} {
		p, err := hook.ParseProfile(strings.ToUpper(name))
		if err != nil || p.Name != name {
			t.Fatalf("%s: got %+v, %v, want err == nil and p.Name == name", name, p, err)
		}
		if h := hook.New("h", nil, hook.WithProfile(p)); h.Priority != want {
			t.Errorf("%s: %d, want %d", name, h.Priority, want)
		}
		if h := hook.New("h", nil, hook.WithProfile(p), hook.Priority(7)); h.Priority != 7 {
			t.Errorf("%s: a later priority does not count: %d", name, h.Priority)
		}
	}
	if h := hook.New("h", nil); h.Priority != 100 {
		t.Errorf("without a profile: %d", h.Priority)
	}
}

func TestNamesOfConfigs(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (any, error)
		good  map[string]any
		bad   string
	}{
		{func(s string) (any, error) { return hook.ParseLane(s) }, map[string]any{"transform": hook.Transform, "Guard": hook.Guard, "observe": hook.Observe}, "guards"},
		{func(s string) (any, error) { return hook.ParseFailure(s) }, map[string]any{"continue": hook.FailOpen, "Block": hook.FailClosed}, "default"},
		{func(s string) (any, error) { return hook.ParseAction(s) }, map[string]any{
			"continue": hook.ActionContinue, "Allow": hook.ActionAllow, "ask": hook.ActionAsk, "BLOCK": hook.ActionBlock, "deny": hook.ActionBlock,
			"Retry": hook.ActionRetry, "skip": hook.ActionSkip, "answer": hook.ActionAnswer}, "approve"},
		{func(s string) (any, error) { p, err := hook.ParseProfile(s); return p.Name, err }, map[string]any{"a3s": "a3s"}, "b3s"},
	} {
		for name, want := range c.good {
			if got, err := c.parse(name); err != nil || got != want {
				t.Errorf("%q: got %v, %v, want err == nil and got == want", name, got, err)
			}
		}
		for _, bad := range []string{c.bad, ""} {
			if _, err := c.parse(bad); err == nil || !strings.Contains(err.Error(), "use") {
				t.Errorf("%q: %v; want an error that lists the names", bad, err)
			}
		}
	}
}

// To acai a block is the end, whatever the event, and Error follows it.
func TestBlockOfAcaiEnds(t *testing.T) {
	var e hook.Engine
	var faults []hook.Fault
	err := hook.On(&e, hook.Error, func(_ context.Context, ev *hook.Event[hook.Fault]) (hook.Decision, error) {
		faults = append(faults, ev.Payload)
		return hook.Decision{}, nil
	}, hook.Named("faults"))
	if err != nil {
		t.Fatal(err)
	}
	add(t, &e, "no", says(hook.Block("enough")), hook.For("agent-start", "step-start", "tool-call-start", "tool-call-end", "agent-stop"), hook.WithProfile(hook.ProfileAcai))

	ran := false
	step, err := hook.Iteration(t.Context(), &e, nil, hook.IterationInfo{}, func(context.Context, hook.IterationInfo) (hook.IterationResult, error) {
		ran = true
		return hook.IterationResult{}, nil
	})
	switch {
	case err != nil || ran || !step.Skipped:
		t.Errorf("the step ran: %v, %+v, %v", ran, step, err)
	case step.By != "no":
		t.Errorf("step.By: got %v, want %v", step.By, "no")
	}
	if out := fireAt(t, &e, hook.AgentStop, hook.AgentResult{}); out.Action != hook.ActionContinue || out.Steps[0].Note == "" {
		t.Errorf("the agent goes on: %+v", out.Verdict)
	}
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock {
		t.Errorf("the tool runs: %+v", out.Verdict)
	}
	if out := fireAt(t, &e, hook.PostToolUse, hook.ToolResult{ToolUse: bash("ls")}); out.Action != hook.ActionBlock {
		t.Errorf("the result passes: %+v", out.Verdict)
	}
	if out := fireAt(t, &e, hook.AgentStart, hook.AgentRun{}); out.Action != hook.ActionBlock {
		t.Errorf("the agent starts: %+v", out.Verdict)
	}
	want := []hook.Fault{
		{Phase: "iteration", Error: "enough"}, {Phase: "agent", Error: "enough"}, {Phase: "tool", Error: "enough", ToolName: "Bash"},
		{Phase: "tool", Error: "enough", ToolName: "Bash"}, {Phase: "agent", Error: "enough"},
	}
	if !slices.Equal(faults, want) {
		t.Errorf("got %+v\nwant %+v", faults, want)
	}
}
