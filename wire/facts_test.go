package wire

import (
	"context"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// fired gives the event as a hook of an engine sees it.
func fired(t *testing.T, facts []hook.Fact, use hook.ToolUse, env *hook.Envelope) (text string, out hook.Outcome[hook.ToolUse]) {
	t.Helper()
	e := &hook.Engine{Analyse: func(context.Context, hook.AnyEvent) []hook.Fact { return facts }}
	err := hook.On(e, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		encoded, err := Encode(ev)
		if err != nil {
			return hook.Decision{}, err
		}
		text = string(encoded.Bytes())
		return hook.Decision{Action: hook.ActionBlock, Reason: "no", Rule: "own/x@1", Would: &hook.Would{Action: hook.ActionAsk, Reason: "perhaps"}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err = hook.Fire(t.Context(), e, hook.PreToolUse, env, use)
	if err != nil {
		t.Fatal(err)
	}
	return text, out
}

func TestHandlersGetFacts(t *testing.T) {
	use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "rm a"}}
	facts := []hook.Fact{{Does: "delete", By: "rm", At: hook.Span{To: 4}, Sure: true, Path: "/w/a", Scope: "project"}, {Does: "unknown", Because: "x"}}
	text, out := fired(t, facts, use, &hook.Envelope{Metadata: map[string]any{"native": map[string]any{"facts": "of the agent"}}})
	want := `"facts":[{"does":"delete","by":"rm","at":{"from":0,"to":4},"sure":true,"path":"/w/a","scope":"project"},{"does":"unknown","sure":false,"because":"x"}]`
	if !strings.Contains(text, want) || strings.Count(text, `"facts"`) != 1 {
		t.Errorf("got %s\nwant once %s", text, want)
	}
	ev, err := DecodeEvent([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ev.Facts(); got != nil || ev.Head().Metadata["native"] != nil {
		t.Errorf("read back, the event has the facts %v and %v; want none: they are a claim", got, ev.Head().Metadata)
	}
	line, err := EncodeOutcome(hook.Outcome[any]{Verdict: out.Verdict, Payload: out.Payload})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{want, `"rule":"own/x@1"`, `"would":{"action":"ask","reason":"perhaps"}`} {
		if !strings.Contains(string(line), want) {
			t.Errorf("the outcome %s lacks %s", line, want)
		}
	}
}
