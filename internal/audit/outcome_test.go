package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

func TestEveryKindOfEventGivesARecord(t *testing.T) {
	for _, info := range hook.Events() {
		for _, payload := range []any{info.NewPayload(), filled(info.NewPayload())} {
			ev, err := info.New(hook.Envelope{Session: "s", Agent: "a", Source: "src", CWD: "/w"}, payload)
			if err != nil {
				t.Fatal(err)
			}
			out := &hook.Outcome[any]{Verdict: hook.Verdict{Event: info.Name, Changed: true}, Payload: reflect.ValueOf(info.NewPayload()).Elem().Interface()}
			r := FromOutcome(ev, out, 1500*time.Microsecond)
			switch {
			case r.Event != info.Name:
				t.Errorf("%v: r.Event: got %v, want %v", info.Name, r.Event, info.Name)
			case r.EventID != ev.ID().String():
				t.Errorf("%s: %+v", info.Name, r)
			case r.Session != "s":
				t.Errorf("%v: r.Session: got %v, want %v", info.Name, r.Session, "s")
			case r.Agent != "a":
				t.Errorf("%v: r.Agent: got %v, want %v", info.Name, r.Agent, "a")
			case r.Source != "src":
				t.Errorf("%v: r.Source: got %v, want %v", info.Name, r.Source, "src")
			case r.CWD != "/w":
				t.Errorf("%v: r.CWD: got %v, want %v", info.Name, r.CWD, "/w")
			case r.DurationMS != 1.5:
				t.Errorf("%v: r.DurationMS: got %v, want %v", info.Name, r.DurationMS, 1.5)
			case r.Action != "continue":
				t.Errorf("%v: r.Action: got %v, want %v", info.Name, r.Action, "continue")
			}
			if _, has := reflect.TypeOf(ev.Body()).FieldByName("ToolName"); has && payload != nil && reflect.ValueOf(ev.Body()).FieldByName("ToolName").String() != r.Tool {
				t.Errorf("%s: the tool is %q", info.Name, r.Tool)
			}
			if _, has := reflect.TypeOf(ev.Body()).FieldByName("ToolUseID"); has && reflect.ValueOf(ev.Body()).FieldByName("ToolUseID").String() != r.ToolUseID {
				t.Errorf("%s: the id of the call is %q", info.Name, r.ToolUseID)
			}
			newRedactor(nil).finish(&r)
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s: %v", info.Name, err)
			}
		}
	}
}

// filled gives a payload whose texts are their fields' names.
func filled(payload any) any {
	rv := reflect.ValueOf(payload).Elem()
	fill := func(v reflect.Value, f reflect.StructField) {
		if v.Kind() == reflect.String {
			v.SetString(f.Name)
		}
	}
	for i := range rv.NumField() {
		fill(rv.Field(i), rv.Type().Field(i))
		if rv.Type().Field(i).Anonymous {
			for j := range rv.Field(i).NumField() {
				fill(rv.Field(i).Field(j), rv.Field(i).Type().Field(j))
			}
		}
	}
	return payload
}

func TestARecordTellsWhoDecidedAndWhatWasChanged(t *testing.T) {
	input := map[string]any{"command": "make", "timeout": json.Number("10"), "gone": true}
	ev := hook.PreToolUse.New(hook.Envelope{Metadata: map[string]any{"native": map[string]any{"hook_event_name": "BeforeTool"}}},
		hook.ToolUse{ToolName: "Bash", ToolUseID: "t-1", ToolInput: input})
	out := &hook.Outcome[any]{
		Verdict: hook.Verdict{
			Event: "PreToolUse", Action: hook.ActionBlock, Reason: "no", By: "g", Changed: true, Inject: strings.Repeat("long ", 1000),
			Steps: []hook.Step{
				{Hook: "t", Lane: hook.Transform, Changed: true, Injected: true, Duration: 250 * time.Microsecond},
				{Hook: "r", Lane: hook.Guard, Err: &hook.RefusedError{What: "a change"}},
				{Hook: "f", Lane: hook.Guard, Action: hook.ActionBlock, Err: fmt.Errorf("it broke\nbadly: %w", errors.New("x"))},
				{Hook: "b", Lane: hook.Guard, Err: errors.Join(&hook.RefusedError{What: "a change"}, errors.New("x"))},
			},
		},
		Payload: hook.ToolUse{ToolName: "Bash", ToolUseID: "t-1", ToolInput: map[string]any{"command": "make all", "timeout": json.Number("10"), "new": []any{1}}},
	}
	r := FromOutcome(ev, out, time.Millisecond)
	newRedactor(nil).finish(&r)
	switch {
	case r.Native != "BeforeTool":
		t.Errorf("r.Native: got %v, want %v", r.Native, "BeforeTool")
	case r.Tool != "Bash":
		t.Errorf("r.Tool: got %v, want %v", r.Tool, "Bash")
	case r.What != "make":
		t.Errorf("r.What: got %v, want %v", r.What, "make")
	case r.Action != "block":
		t.Errorf("r.Action: got %v, want %v", r.Action, "block")
	case r.By != "g":
		t.Errorf("r.By: got %v, want %v", r.By, "g")
	case len(r.Inject) > 2<<10 || !strings.HasPrefix(r.Inject, "long long"):
		t.Errorf("got %+v", r)
	}
	want := []Change{
		{Path: "tool_input.command", From: "make", To: "make all"},
		{Path: "tool_input.gone", From: true},
		{Path: "tool_input.new", To: []any{json.Number("1")}},
	}
	if !reflect.DeepEqual(r.Changes, want) {
		t.Errorf("changes %+v", r.Changes)
	}
	steps := []Step{
		{Hook: "t", Lane: "transform", Action: "continue", Changed: true, Injected: true, DurationMS: 0.25},
		{Hook: "r", Lane: "guard", Action: "continue", Error: "refused: a change"},
		{Hook: "f", Lane: "guard", Action: "block", Failed: true, Error: "it broke badly: x"},
		{Hook: "b", Lane: "guard", Action: "continue", Failed: true, Error: "refused: a change x"},
	}
	if !reflect.DeepEqual(r.Steps, steps) {
		t.Errorf("steps %+v", r.Steps)
	}
}

func TestARecordHoldsNothingThatOthersEdit(t *testing.T) {
	inner := map[string]any{"deep": "before"}
	input := map[string]any{"command": "before", "list": []any{inner}, "typed": []string{"before"}}
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: input})
	result := map[string]any{"r": inner}
	r := FromOutcome(ev, &hook.Outcome[any]{
		Verdict: hook.Verdict{Action: hook.ActionAnswer, Result: result, Changed: true},
		Payload: hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"new": inner}},
	}, 0)
	before, _ := json.Marshal(r)
	input["command"], inner["deep"], result["x"] = "after", "after", "after"
	input["typed"].([]string)[0] = "after"
	if after, _ := json.Marshal(r); string(after) != string(before) || strings.Contains(string(after), `"after"`) {
		t.Errorf("the record changed from %s to %s", before, after)
	}
}

func TestAnOutcomeThatIsMissingIsNoCrash(t *testing.T) {
	ev := hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "hello"})
	if r := FromOutcome(ev, nil, 0); r.What != "hello" || r.Action != "" {
		t.Errorf("got %+v", r)
	}
}

func TestBigPayloadsMakeSmallRecords(t *testing.T) {
	big := strings.Repeat("x", 50<<20)
	many := map[string]any{}
	for i := range 5000 {
		many[fmt.Sprintf("key%05d", i)] = strings.Repeat("value ", 100)
	}
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"content": big, "many": many, "deep": deep(5000)}})
	changed := hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"content": big + "!", "many": map[string]any{}, "deep": deep(4999)}}
	var steps []hook.Step
	for range 5000 {
		steps = append(steps, hook.Step{Hook: strings.Repeat("h", 5000), Reason: strings.Repeat("r ", 5000)})
	}
	r := FromOutcome(ev, &hook.Outcome[any]{Verdict: hook.Verdict{Changed: true, Reason: big, Inject: big, UserMessage: big, Steps: steps}, Payload: changed}, 0)
	newRedactor(nil).finish(&r)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 300<<10 || len(r.Cut) == 0 {
		t.Errorf("%d bytes, cut %v", len(text), r.Cut)
	}
	switch {
	case len(r.Changes) == 0 || len(r.Changes) > maxChanges:
		t.Errorf("changes %.300s", fmt.Sprint(r.Changes))
	case r.Changes[0].Path != "tool_input.content":
		t.Errorf("r.Changes[0].Path: got %v, want %v", r.Changes[0].Path, "tool_input.content")
	case !strings.Contains(fmt.Sprint(r.Changes[0].To), "the first 52428800 are the same"):
		t.Errorf("changes %.300s", fmt.Sprint(r.Changes))
	}
}

func TestTheDifferenceOfLongTextsIsSeen(t *testing.T) {
	long := strings.Repeat("line of a file\n", 200)
	changes := diff(hook.ToolUse{ToolInput: map[string]any{"content": long + "old end"}}, hook.ToolUse{ToolInput: map[string]any{"content": long + "new end"}}, func(string) {})
	r := Record{Changes: changes}
	newRedactor(nil).finish(&r)
	if c := r.Changes[0]; !strings.HasSuffix(c.From.(string), "old end") || !strings.HasSuffix(c.To.(string), "new end") || len(c.From.(string)) > 300 {
		t.Errorf("got %+v", c)
	}
}

func TestChangesOfAToolsResponseAreNamedAsInJSON(t *testing.T) {
	code := 1
	a := hook.ToolResult{ToolResponse: hook.ToolResponse{Output: "secret", Extra: map[string]any{"stdout": "a"}}}
	b := hook.ToolResult{ToolResponse: hook.ToolResponse{Output: "***", ExitCode: &code, Extra: map[string]any{"stdout": "b"}}}
	want := []Change{
		{Path: "tool_response.exit_code", To: json.Number("1")},
		{Path: "tool_response.output", From: "secret", To: "***"},
		{Path: "tool_response.stdout", From: "a", To: "b"},
	}
	if got := diff(a, b, func(string) {}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	messages := func(text string) hook.Generation {
		return hook.Generation{Messages: []hook.ChatMessage{{"role": "user", "content": text}}}
	}
	if got := diff(messages("a"), messages("b"), func(string) {}); len(got) != 1 || got[0].Path != "messages[0].content" {
		t.Errorf("got %+v", got)
	}
}
