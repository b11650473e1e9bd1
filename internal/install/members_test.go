//go:build unix

package install

import (
	"strings"
	"testing"
)

// TestMembers: what somebody wrote beside our command, by which the agent may not ask it.
func TestMembers(t *testing.T) {
	for _, c := range []struct{ agent, more, fault, odd string }{
		{"claude", `"type": "command"`, "", ""},
		{"claude", `"type": "command", "statusMessage": "…", "description": "mine", "once": false`, "", ""},
		{"claude", `"type": "command", "once": true`, "it has once", ""},
		{"qwen", `"type": "command", "disabled": true`, "it has disabled: true", ""},
		{"gemini", `"type": "command", "enabled": false`, "it has enabled: false", ""},
		{"codex", `"type": "command", "timeot": 5`, "", "has timeot, which hookway does not know: Codex CLI"},
		{"claude", `"x": 1`, "it has no type", "has x,"},
		{"cursor", `"failClosed": true`, "", ""},
	} {
		m := newMachine(t)
		file, event := map[string]string{"claude": ".claude/settings.json", "qwen": ".qwen/settings.json", "gemini": ".gemini/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json"}[c.agent], "PreToolUse"
		if c.agent == "gemini" {
			event = "BeforeTool"
		}
		handler := `{"command": "/opt/hookway/bin/hookway-hook ` + c.agent + ` --event ` + event + ` --timeout 60s", ` + c.more + `}`
		m.write(file, `{"hooks": {"`+event+`": [{"hooks": [`+handler+`]}]}}`)
		s, err := Installed(c.agent, User, m.o)
		m.must(err)
		if got := strings.Join(s.Faults, " / "); c.fault == "" && got != "" || !strings.Contains(got, c.fault) {
			t.Errorf("%s with %s: faults %q, want %q", c.agent, c.more, got, c.fault)
		}
		if got := strings.Join(s.Odd, " / "); c.odd == "" && got != "" || !strings.Contains(got, c.odd) {
			t.Errorf("%s with %s: odd %q, want %q", c.agent, c.more, got, c.odd)
		}
	}
}

// TestOthers: hooks of others at the event before tools are named, and only there.
func TestOthers(t *testing.T) {
	m := newMachine(t)
	const ours = `{"type": "command", "command": "/opt/hookway/bin/hookway-hook claude --event PreToolUse --timeout 60s"}`
	m.write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}, `+ours+`]}], "PostToolUse": [{"hooks": [{"type": "command", "command": "./fmt"}]}]}}`)
	s, err := Installed("claude", User, m.o)
	m.must(err)
	if got, want := strings.Join(s.Others, " / "), "other hooks stand at PreToolUse: exit 2."; !strings.HasPrefix(got, want) || len(s.Others) != 1 {
		t.Errorf("others %q, want one that begins %q", got, want)
	}
}
