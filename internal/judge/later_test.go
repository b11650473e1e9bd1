//go:build unix

package judge_test

import (
	"maps"
	"testing"

	"github.com/hookway/hookway/wire/call"
)

// TestTextWaitsForWhomItIsFor: neither an agent that a sub-agent works for nor
// another agent of the same terminal is given it.
func TestTextWaitsForWhomItIsFor(t *testing.T) {
	w := newWorld(t, "hooks:\n- {id: late, on: [PostCompact, SubagentStop], match: {source: [claude, codex]}, inject: remember the milk}\n")
	w.env = append(w.env, "HOOKWAY_SESSION=terminal")
	event := func(agent, session, sub, name string, more map[string]any) *call.Request {
		fields := map[string]any{"hook_event_name": name, "session_id": session}
		maps.Copy(fields, more)
		if sub != "" {
			fields["agent_id"] = sub
		}
		r := w.event(fields)
		r.Agent = agent
		return r
	}
	compact := func(agent, session, sub string) { w.ask(event(agent, session, sub, "PostCompact", nil)) }
	n := 0
	tool := func(agent, session, sub string) string {
		n++
		return w.ask(event(agent, session, sub, "PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": string(rune('a' + n)), "tool_input": map[string]any{"command": "ls"}}))
	}
	compact("claude", "s", "a1")
	w.want(tool("claude", "s", ""), "!milk")              // its parent
	w.want(tool("claude", "s", "a2"), "!milk")            // its sibling
	w.want(tool("codex", "c", ""), "!milk")               // another agent of the terminal
	w.want(tool("claude", "t", "a1"), "!milk")            // a second one of the same kind
	w.want(tool("claude", "s", "a1"), "milk")             // itself
	w.want(tool("claude", "s", "a1"), "!milk")            // once
	compact("claude", "s", "")                            // of the parent
	w.want(tool("claude", "s", "a1"), "!milk")            // not its sub-agent
	w.ask(event("codex", "c", "b1", "SubagentStop", nil)) // Codex takes no text there, and the sub-agent ends
	if last := w.records[len(w.records)-1]; len(last.Warnings) != 1 {
		t.Errorf("that the text was lost is not on record: %+v", last)
	}
	w.want(tool("codex", "c", ""), "!milk")
	w.want(tool("claude", "s", ""), "milk")
	compact("claude", "s", "a3") // a sub-agent that never stops
	w.ask(event("claude", "s", "", "SessionEnd", map[string]any{"reason": "other"}))
	w.want(tool("claude", "s", "a3"), "!milk")
}
