package wire

import (
	"testing"

	"github.com/hookway/hookway/hook"
)

// A hook that was written for Claude Code approves, changes and tells what Claude Code
// hears, and nothing by another system's words; a refusal it may say in any.
func TestAnImportedHookSaysWhatClaudeCodeHears(t *testing.T) {
	nothing := hook.Decision{}
	for in, want := range map[string]hook.Decision{
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"r"}}`: hook.Allow("r"),
		`{"hookSpecificOutput":{"permissionDecision":"allow"}}`:                                                             nothing,
		`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`:                               hook.Block("r"),
		`{"hookSpecificOutput":{"updatedInput":{"command":"x"}}}`:                                                           nothing,
		`{"hookSpecificOutput":{"additionalContext":"x"}}`:                                                                  nothing,
		`{"decision":"approve","reason":"r"}`:                                                                               hook.Allow("r"),
		`{"decision":"allow","reason":"r"}`:                                                                                 nothing,
		`{"decision":"deny","reason":"r"}`:                                                                                  hook.Block("r"),
		`{"decision":"ask","reason":"r"}`:                                                                                   hook.Ask("r"),
		`{"permissionDecision":"allow"}`:                                                                                    nothing,
		`{"action":"allow"}`:                                                                                                nothing,
		`{"action":"block","reason":"r"}`:                                                                                   hook.Block("r"),
		`{"block":true,"blockReason":"r"}`:                                                                                  hook.Block("r"),
		`{"input":{"command":"x"}}`:                                                                                         nothing,
		`{"params":{"command":"x"}}`:                                                                                        nothing,
		`{"modified":{"tool_input":{"command":"x"}}}`:                                                                       nothing,
		`{"inject":"x"}`:             nothing,
		`{"skip":true,"result":"x"}`: nothing,
		`{"continue":true,"result":{"a":1},"systemMessage":"m"}`:                           {UserMessage: "m"},
		`{"tool_name":"Bash","tool_input":{"command":"x"},"hook_event_name":"PreToolUse"}`: nothing,
	} {
		got, err := DecodeDecision(pre(), []byte(in), hook.ProfileClaude)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		switch {
		case got.Action != want.Action:
			t.Errorf("%v: %v: got.Action: got %v, want %v", in, want, got.Action, want.Action)
		case got.Reason != want.Reason:
			t.Errorf("%v: %v: got.Reason: got %v, want %v", in, want, got.Reason, want.Reason)
		case got.UserMessage != want.UserMessage:
			t.Errorf("%v: %v: got.UserMessage: got %v, want %v", in, want, got.UserMessage, want.UserMessage)
		case got.Inject != "":
			t.Errorf("%v: %v: got.Inject: got %v, want %v", in, want, got.Inject, "")
		case got.Modified != nil || got.Result != nil:
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
	}
}
