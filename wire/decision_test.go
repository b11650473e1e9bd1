package wire

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/golden"
)

func TestOurDecisionsComeBackAsTheyWere(t *testing.T) {
	for _, c := range []struct {
		ev   hook.AnyEvent
		d    hook.Decision
		want string
	}{
		{pre(), hook.Decision{}, `{"action":"continue"}`},
		{pre(), hook.Allow("<ok>"), `{"action":"allow","reason":"<ok>"}`},
		{pre(), hook.Decision{Action: hook.ActionBlock, Reason: "r", UserMessage: "u", Inject: "i", Metadata: map[string]any{"k": json.Number("1.0")}},
			`{"action":"block","reason":"r","user_message":"u","inject":"i","metadata":{"k":1.0}}`},
		{pre(), hook.Retry(1500 * time.Microsecond), `{"action":"retry","retry_delay_ms":1.5}`},
		{pre(), hook.Skip(), `{"action":"skip"}`},
		{pre(), hook.Answer(nil), `{"action":"answer","result":null}`},
		{pre(), hook.Answer(map[string]any{"a": []any{nil}}), `{"action":"answer","result":{"a":[null]}}`},
		{pre(), hook.Change(input(map[string]any{"command": "x"})), `{"action":"continue","modified":{"tool_input":{"command":"x","timeout":null}}}`},
		{pre(), hook.Change(hook.ToolUse{ToolName: "Other", ToolInput: map[string]any{"command": "ls", "timeout": json.Number("5"), "deep": map[string]any{"a": []any{nil}}}}),
			`{"action":"continue","modified":{"tool_input":{"deep":{"a":[null]}},"tool_name":"Other"}}`},
		{post(), hook.Change(output(hook.ToolResponse{Output: "o"})), `{"action":"continue","modified":{"tool_response":{"exit_code":null,"output":"o","success":false}}}`},
		{generate(), hook.Change(hook.Generation{SystemPrompt: "s"}), `{"action":"continue","modified":{"prompt":null}}`},
	} {
		got, err := EncodeDecision(c.ev, c.d)
		if err != nil {
			t.Errorf("%+v: %v", c.d, err)
			continue
		}
		if string(got) != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		back, err := DecodeDecision(c.ev, got, hook.Profile{})
		if err != nil || !reflect.DeepEqual(back, c.d) {
			t.Errorf("%s came back as\n%+v, %v, was\n%+v", got, back, err, c.d)
		}
	}
}

func TestDecisionsThatCannotBeWrittenAreErrors(t *testing.T) {
	for want, d := range map[string]hook.Decision{
		"unknown action, number 99":                                     {Action: 99},
		"modified: the payload of PreToolUse is a string":               hook.Change("x"),
		"modified: tool_input.a.b: a merge patch cannot set it to null": hook.Change(input(map[string]any{"a": map[string]any{"b": nil}})),
		"result: json: unsupported type: chan int":                      hook.Answer(make(chan int)),
		"metadata: json: unsupported type: func()":                      {Metadata: map[string]any{"f": func() {}}},
	} {
		if got, err := EncodeDecision(pre(), d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

func outcomes() map[string]hook.Outcome[any] {
	return map[string]hook.Outcome[any]{
		"nothing": {Verdict: hook.Verdict{Event: "Idle"}, Payload: hook.Silence{}},
		"blocked": {
			Verdict: hook.Verdict{
				Event: "PreToolUse", Action: hook.ActionBlock, Reason: "no <rm>", UserMessage: "told", By: "guard", Inject: "text",
				Metadata: map[string]any{"k": json.Number("1.0"), "native": map[string]any{"prompt_id": "p"}},
				Steps: []hook.Step{
					{Hook: "slow", Lane: hook.Transform, Duration: 1234567 * time.Nanosecond, Err: errors.New("it ran\nout of time")},
					{Hook: "guard", Lane: hook.Guard, Action: hook.ActionBlock, Reason: "no <rm>", Duration: time.Microsecond},
				},
			},
			Payload: toolUse(),
		},
		"answered": {
			Verdict: hook.Verdict{Event: "PostToolUse", Action: hook.ActionAnswer, Result: response(), RetryDelay: 1500 * time.Microsecond},
			Payload: hook.ToolResult{ToolUse: toolUse(), ToolResponse: response()},
		},
	}
}

func TestOutcomesAreWrittenAsTheirGoldenFiles(t *testing.T) {
	for name, out := range outcomes() {
		got, err := EncodeOutcome(out)
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "golden", "outcome-"+name+".json"), string(append(got, '\n')))
	}
	if _, err := EncodeOutcome(hook.Outcome[any]{Verdict: hook.Verdict{Event: "X", Result: make(chan int)}}); err == nil || !strings.Contains(err.Error(), "the outcome of X cannot be written as JSON: result: ") {
		t.Errorf("got %v", err)
	}
}
