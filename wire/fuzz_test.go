package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// lookup finds every event: the ones without a row are native.
func lookup(name string) (*hook.EventInfo, error) {
	if info, err := hook.Lookup(name); err == nil {
		return info, nil
	}
	return hook.Native(name), nil
}

// FuzzDecodeEvent holds that no bytes make it panic, and that an event that was
// read is written and read again without a change but for the order of what an
// unknown event's payload and its native fields share.
func FuzzDecodeEvent(f *testing.F) {
	for _, ev := range samples() {
		f.Add(mustEncode(f, ev))
	}
	files, _ := filepath.Glob("testdata/claude/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"hook_event_name":"X","event_id":"","sourDe":null,"metadata":{"native":{"a":1}},"hookway_envelope":{"cwd":"x"}}`))
	f.Add([]byte(`{"hook_event_name":"X","event_id":"","source":null,"metadata":{"native":{"a":1}},"time":"2006-01-02T15:04:05,5+01:00","hookway_envelope":{"cwd":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ev, err := DecodeEvent(data, lookup)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Fatalf("a long error: %.200s", err)
			}
			return
		}
		first, err := Encode(ev)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if !json.Valid(first.Bytes()) || bytes.ContainsAny(first.Bytes(), "\n\r") {
			t.Fatalf("no line of JSON: %s", first.Bytes())
		}
		back, err := NewEvent(ev.Info(), first.Bytes())
		if err != nil {
			t.Fatalf("%v: %s", err, first.Bytes())
		}
		if second := mustEncode(t, back); !reflect.DeepEqual(parsed(t, second), parsed(t, first.Bytes())) {
			t.Fatalf("written again\n got %s\nwant %s", second, first.Bytes())
		}
	})
}

// parsed reads JSON whose numbers stay as they are written.
func parsed(t *testing.T, data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return value
}

// FuzzDecodeDecision holds that no bytes make it panic, that an unknown action is
// never a continue, and that a decision that was read is written and read again
// without a change, if a merge patch can say it.
func FuzzDecodeDecision(f *testing.F) {
	events := []hook.AnyEvent{pre(), post(), received(), generate(), samples()[4], samples()[13], samples()[24]}
	native, err := hook.Native("PreModelSwitch").New(hook.Envelope{}, map[string]any{"from_model": "a"})
	if err != nil {
		f.Fatal(err)
	}
	events = append(events, native)
	for _, seed := range []string{
		`{}`, `null`, `"allow"`, `{"action":"Block","reason":"r"}`, `{"action":"modify","modifications":{"tool_input":{"a":null}}}`,
		`{"action":"Continue","modified":{"command":"x"}}`, `{"block":true,"blockReason":"r"}`, `{"params":{"a":1}}`, `{"skip":true,"result":1}`,
		`{"continue":false,"stopReason":"s","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{"a":1.0}}}`,
		`{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"a":1}}}}`, `{"handled":true,"recovery":null,"error":"e"}`,
		`{"action":"retry","retry_delay_ms":1e3}`, `{"messages":[{}],"tools":null,"systemPrompt":"x","content":"c"}`, `{"suppress":true,"stop":true,"inject":"i"}`,
		`{"decision":"block","reason":42}`, `{"hookSpecificOutput":{"behavior":"deny","decision":{"behavior":"deny","x":1}},"action":7}`,
	} {
		for i := range events {
			f.Add([]byte(seed), byte(i), i%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which byte, a3s bool) {
		ev := events[int(which)%len(events)]
		profile := hook.Profile{}
		if a3s {
			profile = hook.ProfileA3S
		}
		before := mustEncode(t, ev)
		d, err := DecodeDecision(ev, data, profile)
		if now, failed := encode(ev); failed != nil || !bytes.Equal(now.Bytes(), before) {
			t.Fatalf("the event was edited: %s", now.Bytes())
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("the error is not a clean line: %q", err)
			}
			return
		}
		if action, ok := onlyAction(data); ok && d.Action != hook.ActionBlock {
			if _, err := parseAction(action); err != nil {
				t.Fatalf("the unknown action %q was taken for %v", action, d.Action)
			}
		}
		written, err := EncodeDecision(ev, d)
		if err != nil {
			if strings.Contains(err.Error(), "null") {
				return
			}
			t.Fatalf("%+v: %v", d, err)
		}
		back, err := DecodeDecision(ev, written, hook.Profile{})
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		again, err := EncodeDecision(ev, back)
		switch {
		case err != nil || !bytes.Equal(written, again):
			t.Fatalf("%v\n got %s\nwant %s", err, again, written)
		case back.Action != d.Action:
			t.Fatalf("back.Action: got %v, want %v", back.Action, d.Action)
		case back.Reason != d.Reason:
			t.Fatalf("back.Reason: got %v, want %v", back.Reason, d.Reason)
		}
	})
}

// onlyAction reads the action as encoding/json would.
func onlyAction(data []byte) (string, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(trim(data), &m) != nil || m["action"] == nil {
		return "", false
	}
	var action string
	return action, json.Unmarshal(m["action"], &action) == nil
}

// FuzzPatch holds that no bytes make it panic, that the event stays as it is, and
// that applying a patch twice is applying it once.
func FuzzPatch(f *testing.F) {
	for _, c := range rfc7386 {
		f.Add([]byte(`{"tool_input":{"doc":`+c.original+`}}`), []byte(`{"tool_input":{"doc":`+c.patch+`}}`))
	}
	f.Add([]byte(`{"tool_response":{"output":"x","a":1}}`), []byte(`{"tool_response":{"output":null,"a":{"b":null}},"recent_tools":["x"]}`))
	f.Add([]byte(`{"tool_response":"x"}`), []byte(`{"tool_response":[1],"tool_name":null}`))
	f.Fuzz(func(t *testing.T, event, patch []byte) {
		ev, err := NewEvent(hook.PostToolUse.Info(), event)
		if err != nil {
			return
		}
		before := mustEncode(t, ev)
		once, err := Patch(ev, patch)
		if now, failed := encode(ev); failed != nil || !bytes.Equal(now.Bytes(), before) {
			t.Fatalf("the event was edited: %s", now.Bytes())
		}
		if err != nil {
			return
		}
		changed, err := ev.Info().New(*ev.Head(), once)
		if err != nil {
			t.Fatal(err)
		}
		mustEncode(t, changed)
		twice, err := Patch(changed, patch)
		if err != nil || !reflect.DeepEqual(once, twice) {
			t.Fatalf("%v\nonce  %+v\ntwice %+v", err, once, twice)
		}
	})
}

// FuzzExact holds that values are read as encoding/json reads them.
func FuzzExact(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0,1.0e+5,true,false,null,"x\u00e9\n",{}],"b":{"c":[]}}`, ` [ 1 , { "a" : "\ud800" } ] `, `"\xff"`, `1e400`, `{"a":1,"a":{"b":2}}`,
		`{"\u0061\"\\":"\/\b\f\n\r\t\\\"\\\\"}`, `["\ud83d\ude00","\ud83dx","\ud83d\n","\ude00","\ud83d\ud83d\ude00","\ud83d\u00e9"]`,
		"[\"\xf0\x9f\x98\\n\xff\xfe\u20ac\\\\\", \"\xed\xa0\x80\\t\"]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := check(data)
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("%v: %q was found valid", err, text)
		}
		if got := exact(text); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n got %#v\nwant %#v", text, got, want)
		}
	})
}
