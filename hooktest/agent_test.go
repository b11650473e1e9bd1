package hooktest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// shell is an agent whose one tool says what it was called with.
func shell(e *hook.Engine) *FakeAgent {
	return &FakeAgent{
		Engine: e, Envelope: hook.Envelope{Session: "s-1", Agent: "fake"},
		Tools: map[string]func(context.Context, map[string]any) (hook.ToolResponse, error){
			"Bash": func(_ context.Context, input map[string]any) (hook.ToolResponse, error) {
				return hook.ToolResponse{Success: true, Output: "ran " + input["command"].(string)}, nil
			},
		},
	}
}

func call(command string) []hook.ToolCall {
	return []hook.ToolCall{{ID: "c", Name: "Bash", Input: map[string]any{"command": command}}}
}

func TestFakeAgentFiresItsEventsInOrder(t *testing.T) {
	var e hook.Engine
	var seen Recorder
	if err := e.Add(hook.New("all", &seen, hook.For("*"))); err != nil {
		t.Fatal(err)
	}
	story, err := shell(&e).Run(t.Context(), "list", Turn{Text: "looking", Calls: call("ls")}, Turn{Text: "done"}, Turn{Text: "never"})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("SessionStart AgentStart GenerateStart GenerateEnd PreToolUse PostToolUse GenerateStart GenerateEnd AgentStop SessionEnd")
	got := slices.DeleteFunc(seen.Names(), func(name string) bool { return name == "ToolResultPersist" })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("fired %v", got)
	}
	if !reflect.DeepEqual(story.Texts, []string{"looking", "done"}) || story.Unanswered != 1 || story.Calls[0].Response.Output != "ran ls" {
		t.Errorf("the story is %+v", story)
	}
	for _, ev := range seen.Events() {
		if ev.Head().Session != "s-1" || ev.Head().Agent != "fake" {
			t.Errorf("%s has the envelope %+v", ev.Info().Name, ev.Head())
		}
	}
}

func TestFakeAgentDoesWhatHooksDecide(t *testing.T) {
	var e hook.Engine
	if err := errors.Join(
		e.Add(hook.New("welcome", hook.Static(hook.Inject("be brief")), hook.For("SessionStart"))),
		e.Add(hook.New("no-rm", hook.Static(hook.Block("rm is forbidden")), hook.For("PreToolUse"), hook.MatchCommand(`\brm\b`))),
		hook.On(&e, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			return hook.Change(ev.Payload.WithInput("command", "ls -l")), nil
		}, hook.MatchCommand(`^ls$`)),
		hook.On(&e, hook.AgentStop, func(_ context.Context, ev *hook.Event[hook.AgentResult]) (hook.Decision, error) {
			if ev.Payload.StopHookActive {
				return hook.Continue(), nil
			}
			return hook.Block("run the tests"), nil
		}),
	); err != nil {
		t.Fatal(err)
	}
	story, err := shell(&e).Run(t.Context(), "clean up",
		Turn{Text: "1", Calls: call("rm -rf x")}, Turn{Text: "2", Calls: call("ls")}, Turn{Text: "done"}, Turn{Text: "tested"})
	if err != nil {
		t.Fatal(err)
	}
	if !story.Calls[0].Blocked || !strings.Contains(story.Calls[0].Response.Output, "rm is forbidden") {
		t.Errorf("rm: %+v", story.Calls[0])
	}
	if got := story.Calls[1].Response.Output; got != "ran ls -l" {
		t.Errorf("ls: %q", got)
	}
	if story.Continues != 1 || !slices.Equal(story.Texts, []string{"1", "2", "done", "tested"}) || !slices.Equal(story.Injected, []string{"be brief"}) {
		t.Errorf("the story is %+v", story)
	}
}

func TestFakeAgentStopsAtARefusedPrompt(t *testing.T) {
	var e hook.Engine
	if err := e.Add(hook.New("gate", hook.Static(hook.Block("not today")), hook.For("AgentStart"))); err != nil {
		t.Fatal(err)
	}
	story, err := shell(&e).Run(t.Context(), "hello", Turn{Text: "hi"})
	switch {
	case err != nil:
		t.Errorf("the story is %+v, %v", story, err)
	case story.Refused != "not today":
		t.Errorf("story.Refused: got %v, want %v", story.Refused, "not today")
	case len(story.Texts) != 0:
		t.Errorf("len(story.Texts): got %v, want %v", len(story.Texts), 0)
	case story.Unanswered != 1:
		t.Errorf("story.Unanswered: got %v, want %v", story.Unanswered, 1)
	}
}

func TestFakeAgentGoesOnAfterAToolThatFails(t *testing.T) {
	var e hook.Engine
	story, err := shell(&e).Run(t.Context(), "hello", Turn{Calls: []hook.ToolCall{{Name: "Nope"}}}, Turn{Text: "sorry"})
	if err != nil || story.Calls[0].Response.Success || !slices.Equal(story.Texts, []string{"", "sorry"}) {
		t.Errorf("the story is %+v, %v", story, err)
	}
}
