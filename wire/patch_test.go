package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// rfc7386 are the examples of the standard's appendix.
var rfc7386 = []struct{ original, patch, want string }{
	{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
	{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
	{`{"a":"b"}`, `{"a":null}`, `{}`},
	{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
	{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
	{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
	{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
	{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
	{`["a","b"]`, `["c","d"]`, `["c","d"]`},
	{`{"a":"b"}`, `["c"]`, `["c"]`},
	{`{"a":"foo"}`, `null`, `null`},
	{`{"a":"foo"}`, `"bar"`, `"bar"`},
	{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
	{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
	{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
}

func TestMergePatchesAsTheStandardHasThem(t *testing.T) {
	for _, c := range rfc7386 {
		original := generically(t, []byte(c.original))
		got := mergeValues(original, generically(t, []byte(c.patch)))
		if want := generically(t, []byte(c.want)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s with %s\n got %v\nwant %v", c.original, c.patch, got, want)
		}
		if !reflect.DeepEqual(original, generically(t, []byte(c.original))) {
			t.Errorf("%s was edited", c.original)
		}

		// the same inside a payload: of a native event, and of a tool's arguments
		inside := `{"doc":` + c.patch + `}`
		ev, err := hook.Native("X").New(hook.Envelope{}, map[string]any{"doc": original, "keep": true})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"keep": true}
		if c.want != "null" { // inside an object a null takes the member out
			want["doc"] = generically(t, []byte(c.want))
		}
		if payload, err := Patch(ev, []byte(inside)); err != nil || !reflect.DeepEqual(payload, any(want)) {
			t.Errorf("native: %s with %s\n got %v, %v\nwant %v", c.original, c.patch, payload, err, want)
		}
		call := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolInput: map[string]any{"doc": original, "keep": true}})
		if payload, err := Patch(call, []byte(`{"tool_input":`+inside+`}`)); err != nil || !reflect.DeepEqual(payload.(hook.ToolUse).ToolInput, want) {
			t.Errorf("call: %s with %s\n got %v, %v\nwant %v", c.original, c.patch, payload, err, want)
		}
	}
}

func TestAPatchLeavesWhatItDoesNotNameAsItWasInGo(t *testing.T) {
	type own struct{ A, B int }
	shared := []int{1}
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "T", ToolInput: map[string]any{
		"int": 5, "list": shared, "struct": own{1, 2}, "texts": map[string]string{"a": "b"},
	}})
	payload, err := Patch(ev, []byte(`{"tool_input":{"new":1,"struct":{"A":7},"texts":{"c":"d"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"int": 5, "list": shared, "new": json.Number("1"),
		"struct": map[string]any{"A": json.Number("7"), "B": json.Number("2")}, "texts": map[string]any{"a": "b", "c": "d"},
	}
	if got := payload.(hook.ToolUse).ToolInput; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if !reflect.DeepEqual(ev.Payload.ToolInput["struct"], own{1, 2}) || len(ev.Payload.ToolInput) != 4 {
		t.Errorf("the event was edited: %v", ev.Payload.ToolInput)
	}
}

func TestAPatchReachesIntoTypedFields(t *testing.T) {
	end := hook.GenerateEnd.New(hook.Envelope{}, hook.GenerationResult{Usage: &hook.Usage{PromptTokens: 1, TotalTokens: 2}})
	payload, err := Patch(end, []byte(`{"usage":{"prompt_tokens":5},"tool_calls":[{"name":"Bash","input":{"a":1}}],"duration_ms":3}`))
	if err != nil {
		t.Fatal(err)
	}
	want := hook.GenerationResult{
		Usage: &hook.Usage{PromptTokens: 5, TotalTokens: 2}, DurationMS: 3,
		ToolCalls: []hook.ToolCall{{Name: "Bash", Input: map[string]any{"a": json.Number("1")}}},
	}
	if !reflect.DeepEqual(payload, any(want)) || end.Payload.Usage.PromptTokens != 1 {
		t.Errorf("got %+v", payload)
	}

	payload, err = Patch(post(), []byte(`{"tool_response":{"output":"***","exit_code":null,"extra":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	response := hook.ToolResponse{Success: true, Output: "***", Extra: map[string]any{"extra": json.Number("1")}}
	if got := payload.(hook.ToolResult).ToolResponse; !reflect.DeepEqual(got, response) {
		t.Errorf("got %+v", got)
	}
}

func TestAPatchThatFitsNotIsAnError(t *testing.T) {
	for in, want := range map[string]string{
		``:                                  "the patch cannot be read: it is empty",
		`[]`:                                "patch: it must be an object with payload fields, not an array",
		`{"Tool_Input":{}}`:                 `patch: PreToolUse has no field "Tool_Input"; did you mean tool_input?`,
		`{"tool_input":[1]}`:                "patch.tool_input: it must be an object, not an array",
		`{"recent_tools":{"a":1}}`:          "patch.recent_tools: it must be an array, not an object",
		`{"tool_name":{"a":1}}`:             "patch.tool_name: it must be a string, not an object",
		`{"tool_name":"a","tool_name":"b"}`: "patch.tool_name: it is there twice",
	} {
		if got, err := Patch(pre(), []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %s", in, got, err, want)
		}
	}
}

// An answer with the whole event changes what is different in it, and nothing else.
func TestAnEventThatIsGivenBackIsNoChange(t *testing.T) {
	for _, info := range hook.Events() {
		ev, err := DecodeEvent([]byte(`{"hook_event_name":"`+info.Name+`","session_id":"s","cwd":"/w","own":{"a":1},"tool_input":{"a":1},"metadata":{"k":1.50}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := Encode(ev)
		if err != nil {
			t.Fatal(err)
		}
		if payload, err := Patch(ev, encoded.Bytes()); err != nil || !reflect.DeepEqual(payload, ev.Body()) {
			t.Errorf("%s: got %+v, %v, want err == nil and reflect.DeepEqual(payload, ev.Body())", info.Name, payload, err)
		}
		if info == hook.MessageReceived.Info() || info == hook.MessageSending.Info() || info == hook.MessageSent.Info() {
			continue // they have metadata of their own
		}
		for field, patch := range map[string]string{
			"session_id": `{"session_id":"other"}`, "cwd": `{"cwd":null}`, "hook_event_name": `{"hook_event_name":"Else"}`, "own": `{"own":{"a":2}}`, "unknown": `{"unknown":1}`,
		} {
			if _, err := Patch(ev, []byte(patch)); err == nil || !strings.Contains(err.Error(), field) {
				t.Errorf("%s with %s: %v", info.Name, patch, err)
			}
		}
	}
	prompt := hook.AgentStart.New(hook.Envelope{Session: "s"}, hook.AgentRun{Prompt: "p", RunID: "r"})
	payload, err := Patch(prompt, []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","run_id":"r","prompt":"q"}`))
	if want := (hook.AgentRun{Prompt: "q", RunID: "r"}); err != nil || !reflect.DeepEqual(payload, any(want)) {
		t.Errorf("got %+v, %v, want err == nil and reflect.DeepEqual(payload, any(want))", payload, err)
	}
}
