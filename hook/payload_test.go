package hook_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestToolResponseInJSON(t *testing.T) {
	seven := 7
	for _, c := range []struct {
		name, in string
		want     hook.ToolResponse
		out      string // empty: as in
	}{
		{"the four fields", `{"duration_ms":5,"exit_code":7,"output":"x","success":false}`, hook.ToolResponse{Output: "x", ExitCode: &seven, DurationMS: 5}, `{"success":false,"output":"x","exit_code":7,"duration_ms":5}`},
		{"fields of the agent's", `{"interrupted":true,"output":"x","size":12345678901234567890,"success":true}`,
			hook.ToolResponse{Success: true, Output: "x", Extra: map[string]any{"interrupted": true, "size": json.Number("12345678901234567890")}}, ""},
		{"without success it went well", `{"output":"x"}`, hook.ToolResponse{Success: true, Output: "x"}, `{"success":true,"output":"x"}`},
		{"a text", `"all of it"`, hook.ToolResponse{Success: true, Output: "all of it"}, `{"success":true,"output":"all of it"}`},
		{"a list", `[1,2]`, hook.ToolResponse{Success: true, Output: "[1,2]"}, `{"success":true,"output":"[1,2]"}`},
		{"null", `null`, hook.ToolResponse{Success: true}, `{"success":true,"output":""}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got hook.ToolResponse
			if err := json.Unmarshal([]byte(c.in), &got); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("%+v, %v; want %+v", got, err, c.want)
			}
			if c.out == "" {
				c.out = c.in
			}
			if out, err := json.Marshal(got); err != nil || string(out) != c.out {
				t.Errorf("%s, %v; want %s", out, err, c.out)
			}
		})
	}
	var r hook.ToolResponse
	if err := json.Unmarshal([]byte(`{"output":`), &r); err == nil {
		t.Error("half an object was read")
	}
}

// A field with one of our names and another type is the agent's own, and goes
// out as it came in, until a hook says otherwise.
func TestToolResponseKeepsForeignTypes(t *testing.T) {
	var r hook.ToolResponse
	in := `{"duration_ms":1.5,"exit_code":0,"output":["a","b"],"success":"yes"}`
	if err := json.Unmarshal([]byte(in), &r); err != nil {
		t.Fatal(err)
	}
	switch out, err := json.Marshal(r); {
	case err != nil:
		t.Errorf("%s, %v; want %s", out, err, in)
	case string(out) != in:
		t.Errorf("string(out): got %v, want %v", string(out), in)
	case *r.ExitCode != 0:
		t.Errorf("*r.ExitCode: got %v, want %v", *r.ExitCode, 0)
	case !r.Success:
		t.Errorf("%s, %v; want %s", out, err, in)
	case len(r.Extra) != 3:
		t.Errorf("len(r.Extra): got %v, want %v", len(r.Extra), 3)
	}
	r.Output, r.Success = "[redacted]", false
	want := `{"duration_ms":1.5,"exit_code":0,"output":"[redacted]","success":false}`
	if out, err := json.Marshal(r); err != nil || string(out) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
}

func TestWithInputLeavesTheOriginal(t *testing.T) {
	use := bash("ls")
	other := use.WithInput("command", "rm").WithInput("n", 1)
	switch {
	case use.Text("command") != "ls":
		t.Errorf("%v, %v", use.ToolInput, other.ToolInput)
	case len(use.ToolInput) != 1:
		t.Errorf("len(use.ToolInput): got %v, want %v", len(use.ToolInput), 1)
	case other.Text("command") != "rm" || other.Text("n") != "":
		t.Errorf("%v, %v", use.ToolInput, other.ToolInput)
	}
	if got := (hook.ToolUse{}).WithInput("k", "v"); got.Text("k") != "v" {
		t.Errorf(`got %v, want got.Text("k") == "v"`, got.ToolInput)
	}
}

func TestCloneCopiesDeeply(t *testing.T) {
	type inner struct{ List []int }
	type all struct {
		Pointer *inner
		Nil     *inner
		Array   [1]map[string]int
		Any     any
		None    any
		Chat    []hook.ChatMessage
		private []int
	}
	v := all{Pointer: &inner{[]int{1}}, Array: [1]map[string]int{{"a": 1}}, Any: &inner{[]int{2}}, Chat: []hook.ChatMessage{{"role": "user"}}, private: []int{3}}
	c := hook.Clone(v)
	if !reflect.DeepEqual(c, v) {
		t.Fatalf("got %+v, want %+v", c, v)
	}
	c.Pointer.List[0], c.Array[0]["a"], c.Any.(*inner).List[0], c.Chat[0]["role"] = 9, 9, 9, "x"
	switch {
	case v.Pointer.List[0] != 1:
		t.Errorf("v.Pointer.List[0]: got %v, want %v", v.Pointer.List[0], 1)
	case v.Array[0]["a"] != 1:
		t.Errorf("v.Array[0][\"a\"]: got %v, want %v", v.Array[0]["a"], 1)
	case v.Any.(*inner).List[0] != 2 || v.Chat[0].Role() != "user":
		t.Errorf("the original was edited: %+v", v)
	}
	if hook.Clone[map[string]any](nil) != nil || hook.Clone[any](nil) != nil {
		t.Error("nothing became something")
	}
}

// Every payload can be cloned, is a struct with wire names, and comes empty.
func TestPayloadsHaveWireNames(t *testing.T) {
	for _, info := range hook.Events() {
		typ := reflect.TypeOf(info.NewPayload()).Elem()
		if typ.Kind() != reflect.Struct {
			t.Errorf("%s: its payload is a %v", info.Name, typ)
			continue
		}
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || f.Anonymous {
				continue
			}
			if name == "" || strings.ToLower(name) != name {
				t.Errorf("%s: field %s has the wire name %q", info.Name, f.Name, name)
			}
		}
	}
}

func TestTheCallThatAnEventIsAbout(t *testing.T) {
	use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}, ToolUseID: "t1"}
	for _, ev := range []hook.AnyEvent{
		event(t, hook.PreToolUse.Info(), use),
		event(t, hook.PostToolUse.Info(), hook.ToolResult{ToolUse: use}),
		event(t, hook.PostToolUseFailure.Info(), hook.ToolFailure{ToolName: use.ToolName, ToolInput: use.ToolInput, ToolUseID: use.ToolUseID}),
		event(t, hook.PermissionRequest.Info(), hook.Permission{ToolName: use.ToolName, ToolInput: use.ToolInput, ToolUseID: use.ToolUseID}),
	} {
		call, ok := hook.CallOf(ev)
		if !ok {
			t.Errorf("%s: got %+v, %v, want ok", ev.Info().Name, call, ok)
		}
		is(t, "call.Name", call.Name, "Bash")
		is(t, "call.ID", call.ID, "t1")
		if call.Input["command"] != "ls" {
			t.Errorf("call.Input[\"command\"]: got %v, want %v", call.Input["command"], "ls")
		}
	}
	if call, ok := hook.CallOf(event(t, hook.AgentStart.Info(), hook.AgentRun{Prompt: "hi"})); ok {
		t.Errorf("a prompt is the call %+v", call)
	}
}

func event(t *testing.T, info *hook.EventInfo, payload any) hook.AnyEvent {
	t.Helper()
	ev, err := info.New(hook.Envelope{}, payload)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}
