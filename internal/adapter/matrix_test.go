package adapter_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// refusals say, for each form of a refusal before a tool runs, which agents were
// seen to stop the tool; under the others of the six it ran.
var refusals = map[string]string{
	"nested":        "claude codex qwen copilot-pascal",
	"decision deny": "gemini qwen",
	"flat":          "copilot copilot-pascal",
}

// formOf is the form of a refusal, by its keys; "" if none was seen.
func formOf(answer map[string]any) string {
	nested, _ := answer["hookSpecificOutput"].(map[string]any)
	keys := strings.Join(slices.Sorted(maps.Keys(answer)), " ")
	switch {
	case keys == "hookSpecificOutput" && nested["hookEventName"] == "PreToolUse" &&
		nested["permissionDecision"] == "deny" && nested["permissionDecisionReason"] == "no":
		return "nested"
	case keys == "decision reason" && answer["decision"] == "deny" && answer["reason"] == "no":
		return "decision deny"
	case keys == "permissionDecision permissionDecisionReason" && answer["permissionDecision"] == "deny" && answer["permissionDecisionReason"] == "no":
		return "flat"
	}
	return ""
}

// TestARefusalIsInItsOwnAgentsForm: the same bytes are a refusal for one agent,
// and none for the next.
func TestARefusalIsInItsOwnAgentsForm(t *testing.T) {
	told := map[string][]byte{}
	for name, payload := range map[string]struct{ event, stdin string }{
		"claude":         {"PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`},
		"codex":          {"PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`},
		"gemini":         {"BeforeTool", `{"tool_name":"run_shell_command","tool_input":{"command":"ls"}}`},
		"qwen":           {"PreToolUse", `{"tool_name":"run_shell_command","tool_input":{"command":"ls"}}`},
		"copilot":        {"preToolUse", `{"toolName":"bash","toolArgs":{"command":"ls"}}`},
		"copilot-pascal": {"PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`},
	} {
		codec, err := adapter.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := codec.Decode(adapter.Call{Event: payload.event, Stdin: []byte(payload.stdin)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := saying(t, hook.Block("no")).Fire(t.Context(), ev)
		if err != nil {
			t.Fatal(err)
		}
		r, err := codec.Encode(ev, adapter.Fit(codec.About(), ev, out, hook.ActionBlock).Outcome)
		if err != nil {
			t.Fatal(err)
		}
		told[name] = r.Stdout
	}
	for name, answer := range told {
		stops := strings.Fields(refusals[formOf(objectOf(t, answer))])
		if !slices.Contains(stops, name) {
			t.Errorf("%s lets the tool run: %s", name, answer)
		}
		for other, others := range told {
			if !slices.Contains(stops, other) && bytes.Equal(answer, others) {
				t.Errorf("%s is told what stops %s only: %s", other, name, answer)
			}
		}
	}
}
