package keep

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/hookway/hookway/hook"
)

// full is a fact with something in each of its fields, so that none is forgotten.
func full(t *testing.T) hook.Fact {
	var f hook.Fact
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Interface().(type) {
		case string:
			field.SetString(fmt.Sprintf("text %d <&> \"é\n\x01\u2028", i))
		case bool:
			field.SetBool(true)
		case int:
			field.SetInt(int64(i))
		case []string:
			field.Set(reflect.ValueOf([]string{"a", "b\\", ""}))
		case hook.Span:
			field.Set(reflect.ValueOf(hook.Span{From: 3, To: 14}))
		default:
			t.Fatalf("hook.Fact has a field of a new type, %s: appendFact must learn it", v.Type().Field(i).Name)
		}
	}
	return f
}

func TestEntriesAreWrittenAsTheyAreRead(t *testing.T) {
	want := Event{
		Version: version, Payload: json.RawMessage(`{"hook_event_name":"PreToolUse"}`), Workspace: "/w", Others: []string{"/o"},
		Analyses: []Analysis{{Facts: []hook.Fact{full(t), {}}, Seen: Observations{
			Dir: "/d", Home: "/h", Project: "/p", Temp: []string{"/t"}, Scratch: []string{"/s/**"}, Trees: []string{"/tree"},
			Env: map[string]string{"A": "1", "B \"": "é"}, Unkept: []string{"C"}, Looks: []Look{{"link", "/d"}, {"list", "/d", "x", "y"}}, More: true,
		}}, {Input: json.RawMessage(`{"command":"ls"}`)}},
		Judged: true, Before: []hook.Fact{{Does: "loop"}}, Granted: "me", Made: "0f", Secrets: 2,
		Verdict: Verdict{Action: "block", By: "b", Rule: "r", Reason: "why <&>", UserMessage: "u", Inject: "i", Changed: true},
	}
	text := End(Begin(want.Payload, 0), want.Rest(), want.Verdict.Text(), want.Made, want.Secrets)
	got, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
	least := Event{Version: version, Payload: json.RawMessage(`{}`)}
	got, err = Parse(End(Begin(least.Payload, 0), least.Rest(), least.Verdict.Text(), "", 0))
	if err != nil || !reflect.DeepEqual(*got, least) {
		t.Errorf("got %+v, %v", got, err)
	}
}
