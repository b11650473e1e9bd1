package hook_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// allowed is the table of events in the documentation: what a hook may decide.
// Continue and skip do nothing to the operation, and are allowed everywhere.
var allowed = map[string]struct {
	actions string
	change  []string
	gates   bool
}{
	"GatewayStart":       {},
	"GatewayStop":        {},
	"SessionStart":       {actions: "inject"},
	"SessionEnd":         {actions: "inject"},
	"AgentStart":         {actions: "block inject", change: []string{"prompt", "system_prompt"}, gates: true},
	"AgentStop":          {actions: "block inject"},
	"IterationStart":     {actions: "answer"},
	"IterationEnd":       {},
	"GenerateStart":      {actions: "block retry answer inject", change: []string{"messages", "model_name", "model_provider", "prompt", "system_prompt"}, gates: true},
	"GenerateEnd":        {actions: "block retry", change: []string{"response_text"}, gates: true},
	"PreToolUse":         {actions: "allow ask block retry answer inject", change: []string{"tool_input"}, gates: true},
	"PostToolUse":        {actions: "block inject", change: []string{"tool_response"}},
	"ToolResultPersist":  {actions: "block", change: []string{"tool_response"}},
	"PermissionRequest":  {actions: "allow ask block", gates: true},
	"PermissionDenied":   {},
	"PostToolUseFailure": {actions: "answer inject"},
	"MessageReceived":    {actions: "block inject", change: []string{"content"}, gates: true},
	"MessageSending":     {actions: "block inject", change: []string{"content"}, gates: true},
	"MessageSent":        {},
	"PreCompact":         {actions: "block inject", gates: true},
	"PostCompact":        {actions: "inject"},
	"Output":             {actions: "inject"},
	"Idle":               {actions: "inject"},
	"Directive":          {actions: "inject"},
	"Error":              {actions: "answer retry", change: []string{"error"}},
	"SubagentStart":      {actions: "block inject"},
	"SubagentStop":       {actions: "block inject"},
	"Notification":       {actions: "inject"},
}

func TestTableOfEventsIsComplete(t *testing.T) {
	known := map[string]bool{}
	for _, info := range hook.Events() {
		known[info.Name] = true
		want, ok := allowed[info.Name]
		if !ok && !strings.HasPrefix(info.Name, "Test") && !strings.HasPrefix(info.Name, "Example") {
			t.Errorf("%s is not in the table", info.Name)
		}
		if ok && info.Gates != want.gates {
			t.Errorf("%s gates an operation: %v, want %v", info.Name, info.Gates, want.gates)
		}
	}
	for name := range allowed {
		if !known[name] {
			t.Errorf("%s is not an event", name)
		}
	}
}

// fireEmpty fires an event with an empty payload.
func fireEmpty(t *testing.T, e *hook.Engine, name string) hook.Outcome[any] {
	t.Helper()
	info, err := hook.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := info.New(hook.Envelope{}, info.NewPayload())
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Fire(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A decision that an event does not list is refused, recorded in the step, and
// treated as continue, in each lane.
func TestDecisionsThatAnEventDoesNotListAreRefused(t *testing.T) {
	for name, want := range allowed {
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			for _, action := range []hook.Action{hook.ActionContinue, hook.ActionAllow, hook.ActionAsk, hook.ActionBlock, hook.ActionRetry, hook.ActionSkip, hook.ActionAnswer} {
				if lane == hook.Guard && (action == hook.ActionSkip || action == hook.ActionAnswer) {
					continue // no guard may do that, whatever the event
				}
				listed := action == hook.ActionContinue || action == hook.ActionSkip || slices.Contains(strings.Fields(want.actions), action.String())
				t.Run(fmt.Sprintf("%s/%v/%v", name, lane, action), func(t *testing.T) {
					var e hook.Engine
					add(t, &e, "h", says(hook.Decision{Action: action, Reason: "why"}), hook.For(name), hook.As(lane))
					add(t, &e, "after", says(hook.Decision{}), hook.For(name), hook.As(lane))
					out := fireEmpty(t, &e, name)
					var refused *hook.RefusedError
					if got := errors.As(out.Steps[0].Err, &refused); got == listed {
						t.Errorf("step error %v, listed %v", out.Steps[0].Err, listed)
					}
					effective := action
					if !listed || action == hook.ActionSkip {
						effective = hook.ActionContinue
					}
					if out.Action != effective {
						t.Errorf("got %v %q, want %v", out.Action, out.Reason, effective)
					}
					if got := out.Steps[0].Action; !listed && (got != hook.ActionContinue || len(out.Steps) != 2) {
						t.Errorf("got %v as the first of %d steps, want continue as that of 2", got, len(out.Steps))
					}
					if !listed && out.Reason != "" {
						t.Errorf("got the reason %q, want none", out.Reason)
					}
					if !listed && !strings.Contains(refused.What, action.String()) {
						t.Errorf("%q does not name what was refused", refused.What)
					}
				})
			}
		}
	}
}

func TestInjectionThatAnEventDoesNotListIsRefused(t *testing.T) {
	for name, want := range allowed {
		var e hook.Engine
		add(t, &e, "h", says(hook.Inject("note")), hook.For(name))
		out := fireEmpty(t, &e, name)
		listed := slices.Contains(strings.Fields(want.actions), "inject")
		var refused *hook.RefusedError
		if (out.Inject == "note") != listed || errors.As(out.Steps[0].Err, &refused) == listed || out.Steps[0].Injected != listed {
			t.Errorf("%s: inject %q, step %+v", name, out.Inject, out.Steps[0])
		}
	}
}

// changes gives for each field of some events a payload in which it differs.
var changes = map[string]map[string]any{
	"SessionStart":      {"source": hook.SessionInfo{Source: "x"}},
	"AgentStart":        {"prompt": hook.AgentRun{Prompt: "x"}, "system_prompt": hook.AgentRun{SystemPrompt: "x"}, "run_id": hook.AgentRun{RunID: "x"}, "workspace_dir": hook.AgentRun{WorkspaceDir: "x"}},
	"AgentStop":         {"last_message": hook.AgentResult{LastMessage: "x"}},
	"IterationStart":    {"iteration": hook.IterationInfo{Iteration: 7}},
	"GenerateStart":     {"messages": hook.Generation{Messages: []hook.ChatMessage{{}}}, "model_name": hook.Generation{ModelName: "x"}, "model_provider": hook.Generation{ModelProvider: "x"}, "prompt": hook.Generation{Prompt: "x"}},
	"GenerateEnd":       {"response_text": hook.GenerationResult{ResponseText: "x"}, "prompt": hook.GenerationResult{Generation: hook.Generation{Prompt: "x"}}, "duration_ms": hook.GenerationResult{DurationMS: 7}},
	"PreToolUse":        {"tool_input": hook.ToolUse{}.WithInput("k", 1), "tool_name": hook.ToolUse{ToolName: "x"}, "tool_use_id": hook.ToolUse{ToolUseID: "x"}},
	"PostToolUse":       {"tool_response": hook.ToolResult{ToolResponse: hook.ToolResponse{Output: "x"}}, "tool_input": hook.ToolResult{ToolUse: hook.ToolUse{}.WithInput("k", 1)}},
	"ToolResultPersist": {"tool_response": hook.ToolPersist{ToolResponse: hook.ToolResponse{Output: "x"}}, "tool_name": hook.ToolPersist{ToolName: "x"}},
	"PermissionRequest": {"tool_input": hook.Permission{ToolInput: map[string]any{"k": 1}}},
	"MessageReceived":   {"content": hook.Message{Content: "x"}, "to": hook.Message{To: "x"}, "from": hook.Message{From: "x"}},
	"MessageSending":    {"content": hook.Message{Content: "x"}, "metadata": hook.Message{Metadata: map[string]any{"k": 1}}},
	"Error":             {"error": hook.Fault{Error: "x"}, "phase": hook.Fault{Phase: "x"}},
	"Output":            {"text": hook.OutputText{Text: "x"}},
	"Directive":         {"body": hook.DirectiveCall{Body: "x"}},
}

func TestChangesOfFieldsThatAnEventDoesNotListAreRefused(t *testing.T) {
	for name, fields := range changes {
		for field, payload := range fields {
			t.Run(name+"/"+field, func(t *testing.T) {
				var e hook.Engine
				add(t, &e, "h", says(hook.Change(payload)), hook.For(name))
				out := fireEmpty(t, &e, name)
				listed := slices.Contains(allowed[name].change, field)
				var refused *hook.RefusedError
				if out.Changed != listed || out.Steps[0].Changed != listed || errors.As(out.Steps[0].Err, &refused) == listed {
					t.Fatalf("changed %v, step %+v; listed %v", out.Changed, out.Steps[0], listed)
				}
				if !listed && !strings.Contains(refused.What, field) {
					t.Errorf("%q does not name the field", refused.What)
				}
				if got := fmt.Sprint(out.Payload) == fmt.Sprint(payload); got != listed {
					t.Errorf("payload %v", out.Payload)
				}
			})
		}
	}
}

// No guard may stand in for the operation or skip others: that would let a rule
// be switched off by another.
func TestWhatNoGuardMayDo(t *testing.T) {
	var e hook.Engine
	add(t, &e, "skips", says(hook.Skip()), hook.As(hook.Guard), hook.Priority(1))
	add(t, &e, "asks", says(hook.Ask("sure?")), hook.As(hook.Guard), hook.Priority(2))
	out := fire(t, &e, bash("ls"))
	var refused *hook.RefusedError
	if out.Action != hook.ActionAsk || !errors.As(out.Steps[0].Err, &refused) || len(out.Steps) != 2 {
		t.Errorf("got %v, %+v, want out.Action == hook.ActionAsk and errors.As(out.Steps[0].Err, &refused) and len(out.Steps) == 2", out.Action, out.Steps)
	}
	add(t, &e, "answers", says(hook.Answer("fake")), hook.As(hook.Guard))
	if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.By != "answers" || out.Result != nil {
		t.Errorf("%v by %q with %v", out.Action, out.By, out.Result)
	}
}

func TestMayInWords(t *testing.T) {
	for _, c := range []struct {
		may  hook.May
		want string
	}{
		{hook.May{}, "observe"},
		{hook.MessageReceived.Info().May, "change content, block, inject"},
		{hook.AgentStart.Info().May, "change prompt and system_prompt, block, inject"},
	} {
		if got := c.may.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
