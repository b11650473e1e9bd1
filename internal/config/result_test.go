//go:build unix

package config

import (
	"testing"

	"github.com/hookway/hookway/hook"
)

// A hook of Claude Code reads a result by Claude Code's names, and what it puts in its
// place is the agent's result.
func TestAResultHasClaudeCodesNames(t *testing.T) {
	w := settingsWorld(t, entryOf("PostToolUse", "", `"command": "if grep -q '\"stdout\":\"secret\"'; then echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PostToolUse\", \"updatedToolOutput\": {\"stdout\": \"hidden\", \"stderr\": \"\"}}}'; else exit 2; fi", "timeout": 600`))
	e := fill(t, w.load())
	for name, extra := range map[string]map[string]any{"text alone": nil, "as Gemini CLI has it": {"returnDisplay": "secret", "llmContent": "Output: secret"}} {
		given := hook.ToolResponse{Success: true, Output: "secret", Extra: extra}
		if extra != nil {
			given.Output = "Output: secret"
		}
		ev := hook.PostToolUse.New(hook.Envelope{}, hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "env"}}, ToolResponse: given})
		out := fireFrom(t, e, "codex", ev)
		now, ok := out.Payload.(hook.ToolResult)
		if out.Action != hook.ActionContinue || !ok {
			t.Errorf("%s: got %s %q, %+v, want out.Action == hook.ActionContinue and ok", name, out.Action, out.Reason, out.Payload)
		} else if now.ToolResponse.Output != "hidden" || now.ToolResponse.Extra["stdout"] != nil {
			t.Errorf(`%s: got %s %q, %+v, want now.ToolResponse.Output == "hidden" and now.ToolResponse.Extra["stdout"] == nil`, name, out.Action, out.Reason, out.Payload)
		}
	}
}
