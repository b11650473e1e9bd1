package wire

import (
	"encoding/json"
	"testing"

	"github.com/hookway/hookway/hook"
)

// meta is metadata that is kept for Claude Code.
func meta(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m["claude."+pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func TestAnswersOfClaudeCode(t *testing.T) {
	prompt := hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "p"})
	stop := hook.AgentStop.New(hook.Envelope{}, hook.AgentResult{})
	start := hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{Source: "startup"})
	permission := hook.PermissionRequest.New(hook.Envelope{}, hook.Permission{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}})
	denied := hook.PermissionDenied.New(hook.Envelope{}, hook.Permission{ToolName: "Bash"})
	sub := hook.SubagentStop.New(hook.Envelope{}, hook.Subagent{})
	newInput := input(map[string]any{"command": "x", "n": json.Number("1.0")})
	testAnswers(t, hook.Profile{}, []answerCase{
		// on top
		{pre(), `{"continue":true}`, hook.Decision{}},
		{pre(), `{"continue":false,"stopReason":"enough"}`, hook.Decision{Action: hook.ActionBlock, Reason: "enough", Metadata: meta("continue", false, "stopReason", "enough")}},
		{pre(), `{"continue":false,"reason":"r"}`, hook.Decision{Action: hook.ActionBlock, Reason: "r", Metadata: meta("continue", false)}},
		{pre(), `{"suppressOutput":true,"systemMessage":"m","terminalSequence":"\u001b]9;hi\u0007"}`, hook.Decision{
			UserMessage: "m", Metadata: meta("suppressOutput", true, "terminalSequence", "\x1b]9;hi\x07")}},
		{pre(), `{"decision":"approve","reason":"ok"}`, hook.Allow("ok")},
		{pre(), `{"decision":"block","reason":"no"}`, hook.Block("no")},
		{pre(), `{"decision":"deny","reason":"no"}`, hook.Block("no")},
		{post(), `{"decision":"block","reason":"look again"}`, hook.Block("look again")},
		{post(), `{"decision":"approve"}`, hook.Decision{}},
		{prompt, `{"decision":"block","reason":"no"}`, hook.Block("no")},
		{stop, `{"decision":"block","reason":"go on"}`, hook.Block("go on")},
		{stop, `{"decision":"approve"}`, hook.Decision{}},
		{stop, `{"decision":"block","reason":"go on","continue":false}`, hook.Decision{Reason: "go on", Metadata: meta("continue", false)}},
		{sub, `{"continue":false}`, hook.Decision{Metadata: meta("continue", false)}},
		{pre(), `{"async":true,"asyncTimeout":5000}`, hook.Decision{}},

		// PreToolUse
		{pre(), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"r"}}`, hook.Allow("r")},
		{pre(), `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`, hook.Block("r")},
		{pre(), `{"hookSpecificOutput":{"hookEventName":"before_tool_call","permissionDecision":"ask","permissionDecisionReason":"r"}}`, hook.Ask("r")},
		{pre(), `{"hookSpecificOutput":{"permissionDecision":"defer"}}`, hook.Decision{Action: hook.ActionAsk, Metadata: meta("permissionDecision", "defer")}},
		{pre(), `{"hookSpecificOutput":{"updatedInput":{"command":"x","n":1.0}}}`, hook.Change(newInput)},
		{pre(), `{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"x","n":1.0}}}`, hook.Decision{Action: hook.ActionAllow, Modified: newInput}},
		{pre(), `{"hookSpecificOutput":{"tool_input":{"command":"x","n":1.0}}}`, hook.Change(newInput)},
		{pre(), `{"hookSpecificOutput":{"additionalContext":"c"}}`, hook.Inject("c")},
		{pre(), `{"hookSpecificOutput":{"somethingNew":1}}`, hook.Decision{}},
		{pre(), `{"permissionDecision":"deny","permissionDecisionReason":"flat"}`, hook.Block("flat")},
		{pre(), `{"updatedInput":{"command":"x","n":1.0},"additionalContext":"c"}`, hook.Decision{Modified: newInput, Inject: "c"}},

		{pre(), `{"permission":"deny","agent_message":"m","user_message":"u"}`, hook.Decision{Action: hook.ActionBlock, Reason: "m", UserMessage: "u"}},
		{pre(), `{"permission":"allow"}`, hook.Allow("")},
		{permission, `{"behavior":"deny"}`, hook.Block("")},

		// PermissionRequest: its input cannot change, so an allow of another input asks
		{permission, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, hook.Allow("")},
		{permission, `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m","interrupt":true}}}`, hook.Decision{Action: hook.ActionBlock, Reason: "m", Metadata: meta("interrupt", true)}},
		{permission, `{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode"}]}}}`, hook.Decision{
			Action: hook.ActionAllow, Metadata: meta("updatedPermissions", []any{map[string]any{"type": "setMode"}})}},
		{permission, `{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"command":"x"}}}}`, hook.Decision{
			Action: hook.ActionAsk, Reason: "a hook allows this with another input only", Metadata: meta("updatedInput", map[string]any{"command": "x"})}},
		{permission, `{"hookSpecificOutput":{"decision":{"behavior":"deny","updatedInput":{"command":"x"}}}}`, hook.Decision{
			Action: hook.ActionBlock, Metadata: meta("updatedInput", map[string]any{"command": "x"})}},
		{denied, `{"hookSpecificOutput":{"retry":true}}`, hook.Decision{Metadata: meta("retry", true)}},

		// after a tool
		{post(), `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"***","stderr":""}}}`,
			hook.Change(output(hook.ToolResponse{Success: true, Extra: map[string]any{"stdout": "***", "stderr": ""}}))},
		{post(), `{"hookSpecificOutput":{"updatedToolOutput":"***"}}`, hook.Change(output(hook.ToolResponse{Success: true, Output: "***"}))},
		{post(), `{"hookSpecificOutput":{"updatedMCPToolOutput":"***"}}`, hook.Change(output(hook.ToolResponse{Success: true, Output: "***"}))},
		{post(), `{"hookSpecificOutput":{"updatedToolOutput":null,"additionalContext":"c","classifierContext":"k"}}`, hook.Decision{Inject: "c", Metadata: meta("classifierContext", "k")}},

		// sessions and prompts
		{start, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c","initialUserMessage":"hi","sessionTitle":"t","watchPaths":["a"],"reloadSkills":true}}`,
			hook.Decision{Inject: "c", Metadata: meta("initialUserMessage", "hi", "sessionTitle", "t", "watchPaths", []any{"a"}, "reloadSkills", true)}},
		{prompt, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c","suppressOriginalPrompt":true}}`,
			hook.Decision{Inject: "c", Metadata: meta("suppressOriginalPrompt", true)}},
		{stop, `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}`, hook.Inject("c")},
	})
}

func TestNativeEventsHaveClaudeCodesFieldsToo(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want hook.Decision
	}{
		"PreModelSwitch": {`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"r"}}`, hook.Block("r")},
		"MessageDisplay": {`{"hookSpecificOutput":{"displayContent":"d"}}`, hook.Decision{Metadata: meta("displayContent", "d")}},
		"Elicitation":    {`{"hookSpecificOutput":{"action":"accept","content":{"a":1}}}`, hook.Decision{Metadata: meta("action", "accept", "content", map[string]any{"a": json.Number("1")})}},
		"ConfigChange":   {`{"decision":"block","reason":"r"}`, hook.Block("r")},
	} {
		ev, err := hook.Native(name).New(hook.Envelope{}, map[string]any{"from_model": "a"})
		if err != nil {
			t.Fatal(err)
		}
		testAnswers(t, hook.Profile{}, []answerCase{{ev, c.in, c.want}})
	}
}
