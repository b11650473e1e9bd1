package api

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// FuzzMember: the parts of an outcome are what a JSON library finds there.
func FuzzMember(f *testing.F) {
	f.Add("ls", "no", "x", `{"a":[1,{"b":"}"}]}`)
	f.Add(`"},{\`, `\"`, "\u2028]", `"a,\"b"`)
	f.Add("", `","payload":{`, "", `[]`)
	f.Fuzz(func(t *testing.T, command, reason, by, result string) {
		var value any = result
		_ = json.Unmarshal([]byte(result), &value)
		text, err := wire.EncodeOutcome(hook.Outcome[any]{
			Verdict: hook.Verdict{Event: "PreToolUse", Action: hook.ActionAnswer, Reason: reason, By: by, Result: value, Steps: []hook.Step{{Hook: by, Reason: reason}}},
			Payload: hook.ToolUse{ToolName: by, ToolInput: map[string]any{"command": command, reason: []any{by, nil, true}}},
		})
		if err != nil {
			t.Skip(err)
		}
		var whole map[string]json.RawMessage
		if err := json.Unmarshal(text, &whole); err != nil {
			t.Fatal(err)
		}
		for name, want := range whole {
			if got := member(text, name); !bytes.Equal(got, want) {
				t.Errorf("%s is %s; it was found as %s in %s", name, want, got, text)
			}
		}
		if got := member(text, "nothing"); got != nil {
			t.Errorf("found %s where there is nothing", got)
		}
	})
}
