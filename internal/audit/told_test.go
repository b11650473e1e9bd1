package audit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestTold(t *testing.T) {
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s-1"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "b"}})
	fired := hook.PreToolUse.New(hook.Envelope{Session: "s-1"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "a"}})
	came := &hook.Settled{Fired: fired, Verdict: hook.Verdict{Changed: true, Metadata: map[string]any{"password": "hunter2", "native": 1}}}
	body := `{"hook_event_name":"PreToolUse","session_id":"s-1","outcome":[1],"amount":12345678901234567890,"big":"` + strings.Repeat("x", 70<<10) + `","iban":"DE02"}`
	text, err := Told([]byte(body), ev, came, []string{"iban", "event"})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Event      string          `json:"hook_event_name"`
		Amount     json.RawMessage `json:"amount"`
		IBAN, Big  string
		OwnOutcome []int `json:"own_outcome"`
		Outcome    struct {
			Action, Ran string
			Changes     []Change
			Metadata    map[string]any
			Cut         []string
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Event != "PreToolUse" || string(got.Amount) != "12345678901234567890" || got.IBAN != hidden || len(got.Big) > toldBounds.text+10 || len(got.OwnOutcome) != 1 {
		t.Errorf("%.300s", text)
	}
	o := got.Outcome
	if o.Action != "continue" || o.Ran != "b" || len(o.Changes) != 1 || len(o.Metadata) != 1 || o.Metadata["password"] != hidden || len(o.Cut) != 1 || o.Cut[0] != "big" {
		t.Errorf("%+v", o)
	}
	text, err = Told([]byte(`{"outcome":1}`), ev, nil, nil)
	if err != nil || string(text) != `{"own_outcome":1}` {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := Told([]byte(`[]`), ev, nil, nil); err == nil {
		t.Error("a list is told")
	}
}
