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
	switch {
	case got.Event != "PreToolUse":
		t.Errorf("got.Event: got %v, want %v", got.Event, "PreToolUse")
	case string(got.Amount) != "12345678901234567890":
		t.Errorf("string(got.Amount): got %v, want %v", string(got.Amount), "12345678901234567890")
	case got.IBAN != hidden:
		t.Errorf("got.IBAN: got %v, want %v", got.IBAN, hidden)
	case len(got.Big) > toldBounds.text+10:
		t.Errorf("%.300s", text)
	case len(got.OwnOutcome) != 1:
		t.Errorf("len(got.OwnOutcome): got %v, want %v", len(got.OwnOutcome), 1)
	}
	o := got.Outcome
	switch {
	case o.Action != "continue":
		t.Errorf("o.Action: got %v, want %v", o.Action, "continue")
	case o.Ran != "b":
		t.Errorf("o.Ran: got %v, want %v", o.Ran, "b")
	case len(o.Changes) != 1:
		t.Errorf("len(o.Changes): got %v, want %v", len(o.Changes), 1)
	case len(o.Metadata) != 1:
		t.Errorf("len(o.Metadata): got %v, want %v", len(o.Metadata), 1)
	case o.Metadata["password"] != hidden:
		t.Errorf("o.Metadata[\"password\"]: got %v, want %v", o.Metadata["password"], hidden)
	case len(o.Cut) != 1:
		t.Errorf("len(o.Cut): got %v, want %v", len(o.Cut), 1)
	case o.Cut[0] != "big":
		t.Errorf("o.Cut[0]: got %v, want %v", o.Cut[0], "big")
	}
	text, err = Told([]byte(`{"outcome":1}`), ev, nil, nil)
	if err != nil || string(text) != `{"own_outcome":1}` {
		t.Errorf("got %s, %v, want err == nil and string(text) == `{\"own_outcome\":1}`", text, err)
	}
	if _, err := Told([]byte(`[]`), ev, nil, nil); err == nil {
		t.Error("a list is told")
	}
}
