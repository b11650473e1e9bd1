//go:build unix

package judge_test

import "testing"

// TestAnAskNeverHangsGemini: no user above the caller could be asked,
// and Gemini CLI would wait for an answer without end.
func TestAnAskNeverHangsGemini(t *testing.T) {
	w := newWorld(t, `hooks:
- {id: careful, on: PreToolUse, lane: guard, match: {tool: Bash}, ask: really?}
`)
	r := w.event(map[string]any{})
	r.Agent, r.Event = "gemini", "BeforeTool"
	r.Stdin = []byte(`{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"run_shell_command","tool_input":{"command":"ls"}}`)
	w.want(w.ask(r), `"decision":"deny"`, "really?", "cannot be asked")
	w.want(w.ask(w.bash("other", "1", "ls")), `"ask"`) // Claude Code refuses by itself
	if got := w.recorded(); got != "PreToolUse block, PreToolUse ask" {
		t.Errorf("on record: %s", got)
	}
}
