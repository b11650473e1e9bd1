package call_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookway/hookway/wire/call"
)

var eventNames = []struct{ stdin, want string }{
	{`{"hook_event_name":"PreToolUse"}`, "PreToolUse"},
	{" \r\n\t{ \"hook_event_name\" \t: \n\"PreToolUse\" } \n", "PreToolUse"},
	{`{"tool_input":{"hook_event_name":"Stop","a":["]}\"",{}]},"hook_event_name":"PreToolUse","n":-1.5e3,"b":null}`, "PreToolUse"},
	{`{"hookName":"permissionRequest","sessionId":"s"}`, "permissionRequest"},
	{`{"hookName":"a","hook_event_name":"B"}`, "B"},
	{`{"hook_event_name":"A","hook_event_name":"B"}`, "B"},
	{`{"hook\u005fevent_name":"Pre\u0054oolUse\n\t\/\"\\"}`, "PreToolUse\n\t/\"\\"},
	{`{"hook_event_name":7}`, ""},
	{`{"hook_event_name":{"a":"b"}}`, ""},
	{`{}`, ""},
	{``, ""},
	{`[]`, ""},
	{`["hook_event_name","Stop"]`, ""},
	{`"hook_event_name"`, ""},
	{`{"hook_event_name":"Stop"`, ""},
	{`{"hook_event_name":"Stop","a":{}`, ""},
	{`{"hook_event_name":"Stop"} {}`, ""},
	{`{"hook_event_name":"Stop",}`, ""},
	{`{"hook_event_name" "Stop"}`, ""},
	{`{"hook_event_name":"Stop`, ""},
	{`{"hook_event_name":"St\u00`, ""},
	{`{"hook_event_name":"\u00"}`, ""},
	{`log line {"hook_event_name":"Stop"}`, ""},
}

func TestEventName(t *testing.T) {
	for _, c := range eventNames {
		if got := call.EventName([]byte(c.stdin)); got != c.want {
			t.Errorf("%s: %q, want %q", c.stdin, got, c.want)
		}
	}
	deep := strings.Repeat(`{"a":[`, 200_000)
	if got := call.EventName([]byte(`{"a":` + deep)); got != "" {
		t.Errorf("a deep one: %q", got)
	}
}

// FuzzEventName compares with a real JSON reader, where that has an opinion.
func FuzzEventName(f *testing.F) {
	for _, c := range eventNames {
		f.Add([]byte(c.stdin))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := call.EventName(b)
		if !json.Valid(b) || !utf8.Valid(b) {
			return // it need not fail, but it must end
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(b, &object) != nil || object == nil {
			if got != "" || call.Complete(b) {
				t.Fatalf("%q in what is not an object", got)
			}
			return
		}
		if !call.Complete(b) {
			t.Fatal("an object that is whole was not seen as such")
		}
		if strings.Contains(string(b), `\u`) {
			return // halves of pairs are read in another way
		}
		want := ""
		for _, name := range []string{"hookName", "hook_event_name"} {
			var text string
			if json.Unmarshal(object[name], &text) == nil && text != "" {
				want = text
			}
		}
		if got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
