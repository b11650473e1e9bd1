package wire

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestARefusalWithAFlawElsewhereIsABlock(t *testing.T) {
	for _, c := range []struct{ in, reason, flaw string }{
		{`{"decision":"block","reason":42}`, "", "reason: it must be a string, not a number"},
		{`{"decision":"block","reason":"r","suppress_output":true}`, "r", "did you mean suppressOutput?"},
		{`{"action":"block","reason":"r","modified":{"zzz":1}}`, "r", `has no field "zzz"`},
		{`{"action":"DENY","modified":7}`, "", "modified: it must be an object"},
		{`{"Action":"block","reason":"r"}`, "r", "did you mean action?"},
		{`{"action":"allow","action":"block"}`, "", "action: it is there twice"},
		{`{"action":"stop","block":true,"blockReason":"r"}`, "r", `unknown action "stop"`},
		{`{"cancel":true,"cancelReason":"r","inject":1}`, "r", "inject: it must be a string"},
		{`{"suppress":true,"inject":1}`, "", "inject: it must be a string"},
		{`{"continue":false,"stopReason":"r","inject":1}`, "r", "inject: it must be a string"},
		{`{"permission":"deny","agent_message":"r","inject":1}`, "r", "inject: it must be a string"},
		{`{"behavior":"deny","inject":1}`, "", "inject: it must be a string"},
		{`{"permissionDecision":"deny","inject":1}`, "", "inject: it must be a string"},
		{`{"decision":{"behavior":"deny","message":"r"}}`, "r", "decision: it must be a string"},
		{`{"hookSpecificOutput":{"permission_decision":"deny","permissionDecisionReason":"r"}}`, "r", "did you mean permissionDecision?"},
		{`{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}`, "", "but the event is PreToolUse"},
		{`{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"r","interrupt":"yes"}}}`, "r", "interrupt: it must be a boolean"},
	} {
		d, err := DecodeDecision(pre(), []byte(c.in), hook.Profile{})
		if err != nil || d.Action != hook.ActionBlock || d.Modified != nil {
			t.Errorf("%s: %+v, %v; want a block", c.in, d, err)
			continue
		}
		want := "(the rest of its answer could not be read: "
		if c.reason != "" {
			want = c.reason + " " + want
		}
		if !strings.HasPrefix(d.Reason, want) || !strings.Contains(d.Reason, c.flaw) {
			t.Errorf("%s: reason %q, want %s…%s", c.in, d.Reason, want, c.flaw)
		}
	}
}

func TestAFlawedAnswerThatSaysNoNoIsAFailure(t *testing.T) {
	stop := hook.AgentStop.New(hook.Envelope{}, hook.AgentResult{})
	for _, c := range []struct {
		ev hook.AnyEvent
		in string
	}{
		{pre(), `{"decision":"approve","reason":42}`},
		{pre(), `{"block":"true"}`},
		{pre(), `{"continue":true,"inject":1}`},
		{pre(), `{"reason":1,"tool_input":{"action":"block"}}`},
		{pre(), `{"metadata":{"block":true},"inject":1}`},
		{pre(), `[{"action":"block"}]`},
		{pre(), `{"action":"block"`},
		{pre(), `{"action":"block"} done`},
		{pre(), `block`},
		{stop, `{"continue":false,"decision":"block","inject":1}`}, // it lets the agent stop
	} {
		if d, err := DecodeDecision(c.ev, []byte(c.in), hook.Profile{}); err == nil {
			t.Errorf("%s %s was taken for %+v", c.ev.Info().Name, c.in, d)
		}
	}
}

func TestARefusalWithAFlawIsWarnedAbout(t *testing.T) {
	var lines []string
	d, err := ExitDecision(pre(), Answer{Stdout: []byte(`{"decision":"block","reason":42}`), Warn: func(l string) { lines = append(lines, l) }})
	switch {
	case err != nil:
		t.Errorf("%+v, %v, warned %q", d, err, lines)
	case d.Action != hook.ActionBlock:
		t.Errorf("d.Action: got %v, want %v", d.Action, hook.ActionBlock)
	case len(lines) != 1:
		t.Errorf("len(lines): got %v, want %v", len(lines), 1)
	case !strings.Contains(lines[0], "reason: it must be a string"):
		t.Errorf("%+v, %v, warned %q", d, err, lines)
	}
}
