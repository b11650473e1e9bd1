package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/golden"
)

func TestEveryEventIsWrittenAsItsGoldenFile(t *testing.T) {
	seen := map[string]bool{}
	for _, ev := range samples() {
		seen[ev.Info().Name] = true
		t.Run(ev.Info().Name, func(t *testing.T) {
			golden.Compare(t, filepath.Join("testdata", "golden", ev.Info().Name+".json"), string(append(mustEncode(t, ev), '\n')))
		})
	}
	for _, info := range hook.Events() {
		if !seen[info.Name] && !strings.HasPrefix(info.Name, "Test") {
			t.Errorf("%s has no sample", info.Name)
		}
	}
}

func TestEveryEventComesBackAsItWas(t *testing.T) {
	for _, ev := range samples() {
		t.Run(ev.Info().Name, func(t *testing.T) {
			first := mustEncode(t, ev)
			back, err := DecodeEvent(first, nil)
			if err != nil {
				t.Fatal(err)
			}
			if back.Info() != ev.Info() {
				t.Errorf("it came back as %s", back.Info().Name)
			}
			if !strings.HasPrefix(ev.Info().Name, "Message") && !reflect.DeepEqual(back.Body(), ev.Body()) {
				t.Errorf("payload\n got %+v\nwant %+v", back.Body(), ev.Body())
			}
			if got, want := *back.Head(), *ev.Head(); !reflect.DeepEqual(got, want) {
				t.Errorf("envelope\n got %+v\nwant %+v", got, want)
			}
			if back.ID() != ev.ID() || !back.Time().Equal(ev.Time()) {
				t.Errorf("identity: got %v %v, want %v %v", back.ID(), back.Time(), ev.ID(), ev.Time())
			}
			if second := mustEncode(t, back); !bytes.Equal(first, second) {
				t.Errorf("written again\n got %s\nwant %s", second, first)
			}
		})
	}
}

func TestTheNameComesFirstThenWhatClaudeCodeHas(t *testing.T) {
	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Read"})
	got := string(mustEncode(t, ev))
	want := `{"hook_event_name":"PreToolUse","session_id":"","transcript_path":"","cwd":"","tool_name":"Read","tool_input":{},"event_id":"`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestNamedSharesAllButTheName(t *testing.T) {
	ev := hook.PreToolUse.New(envelope(), hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"content": strings.Repeat("x", 1<<20)}})
	a, err := Encode(ev)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Encode(ev)
	if err != nil {
		t.Fatal(err)
	}
	if a != b {
		t.Error("the event was encoded twice")
	}
	first, second := a.Named("BeforeTool"), b.Named(`odd "name"`)
	if len(first) != 2 || &first[1][0] != &second[1][0] {
		t.Error("the big part is not shared")
	}
	for want, parts := range map[string][][]byte{"BeforeTool": first, `odd "name"`: second} {
		var object struct {
			Name string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(bytes.Join(parts, nil), &object); err != nil || object.Name != want {
			t.Errorf("got %q, %v; want %q", object.Name, err, want)
		}
	}
	if !bytes.Equal(bytes.Join(a.Named("PreToolUse"), nil), a.Bytes()) {
		t.Error("Bytes, Len and Named disagree")
	}
}

func TestThePayloadWinsOverTheEnvelope(t *testing.T) {
	env := envelope()
	env.Source = "claude"
	for _, source := range []string{"startup", ""} {
		ev := hook.SessionStart.New(env, hook.SessionInfo{Source: source})
		object := generically(t, mustEncode(t, ev)).(map[string]any)
		if got, _ := object["source"].(string); got != source {
			t.Errorf("source is %q, want %q", got, source)
		}
		back, err := DecodeEvent(mustEncode(t, ev), nil)
		if err != nil {
			t.Fatal(err)
		}
		if back.Head().Source != "claude" || back.Body().(hook.SessionInfo).Source != source {
			t.Errorf("came back as %+v, %+v", back.Head(), back.Body())
		}
	}
}

func TestAMessagesMetadataIsLaidOverTheEnvelopes(t *testing.T) {
	env := hook.Envelope{Metadata: map[string]any{"trace": "t", "urgent": false}}
	ev := hook.MessageReceived.New(env, hook.Message{Content: "hi", Metadata: map[string]any{"urgent": true}})
	object := generically(t, mustEncode(t, ev)).(map[string]any)
	if want := map[string]any{"trace": "t", "urgent": true}; !reflect.DeepEqual(object["metadata"], want) {
		t.Errorf("metadata is %v, want %v", object["metadata"], want)
	}
	if len(ev.Payload.Metadata) != 1 || len(env.Metadata) != 2 {
		t.Error("the event was edited")
	}
	back, err := DecodeEvent(mustEncode(t, ev), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Head().Metadata, env.Metadata) {
		t.Errorf("the envelope's came back as %v", back.Head().Metadata)
	}
}

func TestTheAgentsOwnFieldsStandAtTopLevel(t *testing.T) {
	env := envelope()
	env.Metadata["native"] = map[string]any{
		"permission_mode": "plan", "prompt_id": "p1", "hook_event_name": "Stop", "session_id": "other", "source": "x",
		"last_assistant_message": "stale", "stop_hook_active": true, "background_tasks": []any{},
	}
	ev := hook.AgentStop.New(env, hook.AgentResult{LastMessage: "Done."})
	object := generically(t, mustEncode(t, ev)).(map[string]any)
	for name, want := range map[string]any{
		"hook_event_name": "AgentStop", "session_id": "s-1", "source": "go", "permission_mode": "plan", "prompt_id": "p1",
		"last_message": "Done.", "last_assistant_message": "Done.", "stop_hook_active": false,
	} {
		if !reflect.DeepEqual(object[name], want) {
			t.Errorf("%s is %v, want %v", name, object[name], want)
		}
	}
	if _, ok := object["metadata"].(map[string]any)["native"]; ok {
		t.Error("native is written twice")
	}
	if _, ok := env.Metadata["native"]; !ok {
		t.Error("the event was edited")
	}
}

func TestANativeFieldDoesNotBringBackWhatAHookEmptied(t *testing.T) {
	env := hook.Envelope{Metadata: map[string]any{"native": map[string]any{"summary": "secret", "compact_summary": "secret"}}}
	got := mustEncode(t, hook.PostCompact.New(env, hook.CompactionResult{}))
	if bytes.Contains(got, []byte("secret")) {
		t.Errorf("got %s", got)
	}
}

func TestUserDefinedAndNativeEventsAreWrittenFlat(t *testing.T) {
	for name, payload := range map[string]map[string]any{
		"empty":     {},
		"plain":     {"answer": json.Number("42"), "nothing": nil},
		"shadowing": {"source": "command", "cwd": "/x", "metadata": "text", "time": json.Number("5"), "event_id": "e", "agent": nil, "session_id": json.Number("1")},
	} {
		t.Run(name, func(t *testing.T) {
			info := hook.Native("PreModelSwitch")
			ev, err := info.New(envelope(), payload)
			if err != nil {
				t.Fatal(err)
			}
			first := mustEncode(t, ev)
			back, err := NewEvent(info, first)
			if err != nil {
				t.Fatalf("%v: %s", err, first)
			}
			if !reflect.DeepEqual(back.Body(), any(payload)) || !reflect.DeepEqual(*back.Head(), *ev.Head()) {
				t.Errorf("came back as %+v, %+v", back.Head(), back.Body())
			}
			if second := mustEncode(t, back); !bytes.Equal(first, second) {
				t.Errorf("written again\n got %s\nwant %s", second, first)
			}
		})
	}
}

type testMixed struct {
	Plain   string
	Tagged  *testInner `json:"tagged,omitempty"`
	Skipped string     `json:"-"`
	*TestEmbedded
	Numbers map[string]int   `json:"numbers,omitempty"`
	Times   []hook.Usage     `json:"times,omitempty"`
	Raw     json.RawMessage  `json:"raw,omitempty"`
	Results []hook.ToolCall  `json:"results,omitempty"`
	Any     any              `json:"any,omitempty"`
	Float   float64          `json:"float,omitzero"`
	Last    *hook.ToolResult `json:"last,omitempty"`
	private string
}

type testInner struct {
	Deep [2]bool `json:"deep"`
}

// TestEmbedded is embedded by a pointer, so it has an exported name.
type TestEmbedded struct {
	Inside int `json:"inside,omitempty"`
}

var testMixedPoint = hook.Define[testMixed]("TestMixed")

func TestPayloadsOfUsersOwnTypesComeBack(t *testing.T) {
	want := testMixed{
		Plain: "p", Tagged: &testInner{[2]bool{true, false}}, Numbers: map[string]int{"a": 1}, Times: []hook.Usage{{TotalTokens: 3}},
		Raw: json.RawMessage(`{"a":1.0}`), Any: []any{json.Number("1e400")}, Float: 0.5, Last: &hook.ToolResult{ToolResponse: response()},
	}
	ev := testMixedPoint.New(hook.Envelope{}, want)
	back, err := DecodeEvent(mustEncode(t, ev), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := back.Body().(testMixed)
	if !reflect.DeepEqual(got.Last.ToolResponse, want.Last.ToolResponse) {
		t.Errorf("response %+v", got.Last.ToolResponse)
	}
	got.Last, want.Last, want.private = nil, nil, ""
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if bytes.Contains(mustEncode(t, ev), []byte(`\u003c`)) {
		t.Error("escaped for HTML")
	}
	changed, err := Patch(testMixedPoint.New(hook.Envelope{}, testMixed{TestEmbedded: &TestEmbedded{Inside: 1}}), []byte(`{"inside":2,"Plain":"q"}`))
	if err != nil || changed.(testMixed).Inside != 2 {
		t.Errorf("patched: %+v, %v", changed, err)
	}
}

func TestWhatJSONCannotHoldIsAnErrorWithTheFieldsName(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, bad := range []any{make(chan int), func() {}, math.NaN(), math.Inf(1), cycle, json.Number("abc"), json.RawMessage("{")} {
		ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"x": bad}})
		_, err := Encode(ev)
		if err == nil || !strings.Contains(err.Error(), "PreToolUse cannot be written as JSON: tool_input: ") {
			t.Errorf("%T: %v", bad, err)
		}
	}
}

func TestTheLineIsValidWhateverTheTextHas(t *testing.T) {
	for _, text := range []string{"\xff\xfe", "a\nb\r\n", "\u2028\u2029", "\x00\x1f", `"\`, "<script>&amp;", "\U0001F600"} {
		ev := hook.Notification.New(hook.Envelope{Session: text}, hook.Alert{Message: text})
		got := mustEncode(t, ev)
		if !json.Valid(got) || bytes.ContainsAny(got, "\n\r") {
			t.Errorf("%q: got %s, want json.Valid(got) and !bytes.ContainsAny(got, \"\\n\\r\")", text, got)
		}
		back, err := DecodeEvent(got, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); back.Head().Session != want && text != "\xff\xfe" {
			t.Errorf("%q came back as %q", text, back.Head().Session)
		}
	}
}
