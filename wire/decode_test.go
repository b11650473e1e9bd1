package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestAWrongEventIsAnErrorThatNamesTheField(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "the event cannot be read: it is empty"},
		{" \n", "it is empty"},
		{`null`, "it must be an object, not null"},
		{`[]`, "it must be an object, not an array"},
		{`"x"`, "it must be an object, not a string"},
		{`12`, "it must be an object, not a number"},
		{`true`, "it must be an object, not a boolean"},
		{`{"hook_event_name":"PreToolUse"} {}`, "it is not JSON at byte 34"},
		{`{"hook_event_name":"PreToolUse"`, "it is not JSON at byte 31"},
		{`{'hook_event_name':1}`, "it is not JSON at byte 2"},
		{`{}`, "the event has no hook_event_name"},
		{`{"Hook_Event_Name":"PreToolUse"}`, "the event has no hook_event_name"},
		{`{"hook_event_name":5}`, "hook_event_name: it must be a string, not a number"},
		{`{"hook_event_name":"PreToolUs"}`, `hook_event_name: unknown event "PreToolUs"; did you mean PreToolUse?`},
		{`{"hook_event_name":"PreToolUse","hook_event_name":"PostToolUse"}`, "hook_event_name: it is there twice"},
		{`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_name":"Bash"}`, "tool_name: it is there twice"},
		{`{"hook_event_name":"PreToolUse","tool_input":{},"tool\u005finput":{}}`, "tool_input: it is there twice"},
		{`{"hook_event_name":"Idle","tool_input":{},"tool_input":{}}`, "tool_input: it is there twice"},
		{`{"hook_event_name":"PreToolUse","cwd":"a","cwd":"b"}`, "cwd: it is there twice"},
		{`{"hook_event_name":"PreToolUse","tool_name":5}`, "tool_name: it must be a string, not a number"},
		{`{"hook_event_name":"PreToolUse","tool_input":"ls"}`, "tool_input: it must be an object, not a string"},
		{`{"hook_event_name":"PreToolUse","tool_input":[1]}`, "tool_input: it must be an object, not an array"},
		{`{"hook_event_name":"PreToolUse","recent_tools":[1]}`, "recent_tools[0]: it must be a string, not a number"},
		{`{"hook_event_name":"PreToolUse","session_id":{}}`, "session_id: it must be a string, not an object"},
		{`{"hook_event_name":"PreToolUse","metadata":[]}`, "metadata: it must be an object, not an array"},
		{`{"hook_event_name":"PreToolUse","time":"yesterday"}`, "time: it must be like 2006-01-02T15:04:05.999Z, not yesterday"},
		{`{"hook_event_name":"PreToolUse","hookway_envelope":1}`, "hookway_envelope: it must be an object, not a number"},
		{`{"hook_event_name":"PreToolUse","hookway_envelope":{"x":1}}`, `hookway_envelope: the envelope has no field "x"`},
		{`{"hook_event_name":"PreToolUse","hookway_envelope":{"source":1}}`, "hookway_envelope.source: it must be a string, not a number"},
		{`{"hook_event_name":"Stop","last_assistant_message":7}`, "last_assistant_message: it must be a string, not a number"},
		{`{"hook_event_name":"Stop","stop_hook_active":"yes"}`, "stop_hook_active: it must be true or false, not a string"},
		{`{"hook_event_name":"Idle","count":1.5}`, "count: it must be a whole number, not 1.5"},
		{`{"hook_event_name":"Idle","count":"1"}`, "count: it must be a whole number, not a string"},
		{`{"hook_event_name":"Idle","idle_ms":1e400}`, "idle_ms: it must be a whole number, not 1e400"},
		{`{"hook_event_name":"GenerateEnd","usage":{"total_tokens":"many"}}`, "usage.total_tokens: it must be a whole number, not a string"},
		{`{"hook_event_name":"GenerateEnd","tool_calls":[{},{"input":1}]}`, "tool_calls[1].input: it must be an object, not a number"},
		{`{"hook_event_name":"PreToolUse","tool_input":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `}`, "it is nested deeper than 1000"},
	} {
		_, err := DecodeEvent([]byte(c.in), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

func TestATooLongEventIsAnError(t *testing.T) {
	if _, err := DecodeEvent(make([]byte, MaxSize+1), nil); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("got %v", err)
	}
}

func TestNamesOfEventsAreLookedUp(t *testing.T) {
	for _, name := range []string{"PreToolUse", "pre_tool_use", "before-tool-call", "onToolCall", "BeforeTool"} {
		ev, err := DecodeEvent([]byte("\xef\xbb\xbf "+`{"hook_event_name":"`+name+`","tool_name":"Bash"}`+"\r\n"), nil)
		if err != nil || ev.Info() != hook.PreToolUse.Info() || ev.Body().(hook.ToolUse).ToolName != "Bash" {
			t.Errorf(`%s: got %v, %v, want err == nil and ev.Info() == hook.PreToolUse.Info() and ev.Body().(hook.ToolUse).ToolName == "Bash"`, name, ev, err)
		}
	}
	asked := ""
	_, err := DecodeEvent([]byte(`{"hook_event_name":"X"}`), func(name string) (*hook.EventInfo, error) {
		asked = name
		return nil, os.ErrNotExist
	})
	if asked != "X" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("asked for %q, got %v", asked, err)
	}
}

func TestNewEventNeedsNoNameButTakesNoOther(t *testing.T) {
	info := hook.AgentStop.Info()
	for in, ok := range map[string]bool{
		`{"last_message":"x"}`: true, `{"hook_event_name":"Stop","last_message":"x"}`: true, `{"hook_event_name":"on-agent-stop","last_message":"x"}`: true,
		`{"hook_event_name":"SessionEnd","last_message":"x"}`: false, `{"hook_event_name":null}`: false,
	} {
		ev, err := NewEvent(info, []byte(in))
		if (err == nil) != ok || ok && ev.Body().(hook.AgentResult).LastMessage != "x" {
			t.Errorf("%s: %v, %v", in, ev, err)
		}
	}
}

func TestNamesAreComparedExactly(t *testing.T) {
	ev, err := DecodeEvent([]byte(`{"hook_event_name":"PostToolUse","Tool_Name":"Bash","TOOL_INPUT":{"a":1},"tool_response":{"Success":false,"OUTPUT":"x"}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := ev.Body().(hook.ToolResult)
	switch {
	case got.ToolName != "":
		t.Errorf("got.ToolName: got %v, want %v", got.ToolName, "")
	case got.ToolInput != nil || !got.ToolResponse.Success:
		t.Errorf("got %+v", got)
	case got.ToolResponse.Output != "":
		t.Errorf("got.ToolResponse.Output: got %v, want %v", got.ToolResponse.Output, "")
	}
	want := map[string]any{"Tool_Name": "Bash", "TOOL_INPUT": map[string]any{"a": json.Number("1")}}
	if !reflect.DeepEqual(ev.Head().Metadata["native"], want) {
		t.Errorf("native is %v", ev.Head().Metadata)
	}
}

func TestAResponseIsReadHoweverAgentsWriteIt(t *testing.T) {
	for in, want := range map[string]hook.ToolResponse{
		`"text"`: {Success: true, Output: "text"},
		`null`:   {Success: true},
		`[1, 2]`: {Success: true, Output: "[1, 2]"},
		`1.0`:    {Success: true, Output: "1.0"},
		`{}`:     {Success: true},
		`{"success":false,"output":"o","exit_code":3,"duration_ms":5}`: {Output: "o", ExitCode: ptr(3), DurationMS: 5},
		`{"success":"no","output":{"a":1},"exit_code":null,"x":1}`: {
			Success: true,
			Extra:   map[string]any{"success": "no", "output": map[string]any{"a": json.Number("1")}, "exit_code": nil, "x": json.Number("1")},
		},
	} {
		ev, err := NewEvent(hook.PostToolUse.Info(), []byte(`{"tool_response":`+in+`}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := ev.Body().(hook.ToolResult).ToolResponse; !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", in, got, want)
		}
		if kind([]byte(in)) != "an object" {
			continue
		}
		object := generically(t, mustEncode(t, ev)).(map[string]any)
		for name, value := range generically(t, []byte(in)).(map[string]any) {
			if got := object["tool_response"].(map[string]any)[name]; !reflect.DeepEqual(got, value) {
				t.Errorf("%s: %s came back as %v", in, name, got)
			}
		}
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	for _, n := range []string{"18446744073709551615", "-9223372036854775808", "9007199254740993", "1e400", "0.1", "1.0", "-0", "-0.0", "1E+2", "123456789012345678901234567890.5"} {
		for _, name := range []string{"PreToolUse", "PermissionRequest"} {
			in := `{"hook_event_name":"` + name + `","tool_input":{"n":` + n + `,"list":[{"deep":` + n + `}]},"own":` + n + `,"metadata":{"m":` + n + `}}`
			ev, err := DecodeEvent([]byte(in), nil)
			if err != nil {
				t.Fatal(err)
			}
			out := string(mustEncode(t, ev))
			for _, want := range []string{`"tool_input":{"list":[{"deep":` + n + `}],"n":` + n + `}`, `"own":` + n + `,`, `"metadata":{"m":` + n + `}`} {
				if !strings.Contains(out, want) {
					t.Errorf("%s: %s is missing in %s", n, want, out)
				}
			}
		}
		payload, err := Patch(samples()[10], []byte(`{"tool_input":{"n":`+n+`}}`))
		if err != nil || payload.(hook.ToolUse).ToolInput["n"] != json.Number(n) {
			t.Errorf("%s patched: %v, %v", n, payload, err)
		}
	}
}

func TestDurationsMayHaveFractions(t *testing.T) {
	ev, err := NewEvent(hook.SessionEnd.Info(), []byte(`{"duration_ms":12.75,"total_tokens":1e3}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := ev.Body().(hook.SessionSummary); got.DurationMS != 12 || got.TotalTokens != 1000 {
		t.Errorf("got %+v", got)
	}
}

// TestRecordedEventsOfClaudeCodeAreNotLessAfterwards reads what Claude Code gave its
// hooks and holds that a hook of ours is given all of it.
func TestRecordedEventsOfClaudeCodeAreNotLessAfterwards(t *testing.T) {
	files, err := filepath.Glob("testdata/claude/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ev, err := DecodeEvent(data, func(name string) (*hook.EventInfo, error) {
				if info, err := hook.Lookup(name); err == nil {
					return info, nil
				}
				return hook.Native(name), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			recorded := generically(t, data).(map[string]any)
			if ev.Head().Session != recorded["session_id"] || ev.Head().CWD != recorded["cwd"] || ev.Head().Transcript != recorded["transcript_path"] {
				t.Errorf("envelope %+v", ev.Head())
			}
			encoded, err := Encode(ev)
			if err != nil {
				t.Fatal(err)
			}
			told := bytes.Join(encoded.Named(recorded["hook_event_name"].(string)), nil)
			contains(t, "", generically(t, told), recorded)

			again, err := NewEvent(ev.Info(), encoded.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if got := mustEncode(t, again); !bytes.Equal(got, encoded.Bytes()) {
				t.Errorf("written again\n got %s\nwant %s", got, encoded.Bytes())
			}
		})
	}
}

// contains holds that got has everything that want has.
func contains(t *testing.T, path string, got, want any) {
	t.Helper()
	object, ok := want.(map[string]any)
	if !ok {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
		return
	}
	have, ok := got.(map[string]any)
	if !ok {
		t.Errorf("%s is %v, want an object", path, got)
		return
	}
	for name, value := range object {
		if have[name] == nil && (value == nil || value == "") {
			continue // what is empty may be left out
		}
		contains(t, path+"."+name, have[name], value)
	}
}
