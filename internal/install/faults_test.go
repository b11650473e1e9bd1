//go:build unix

package install

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestFaults: entries of hookway's that stand there and are asked in vain.
func TestFaults(t *testing.T) {
	const line = "/opt/hookway/bin/hookway-hook claude --event PreToolUse --timeout 60s"
	for _, c := range []struct{ line, want string }{
		{line, ""},
		{"'/opt/hookway/bin/hookway-hook' claude --event PreToolUse --timeout 60s", ""},
		{line + " --on-failure continue", ""},
		{line + " 2>>/tmp/log", ""},
		{line + " >&1", ""},
		{line + " >/dev/null", "goes to /dev/null"},
		{line + " > /tmp/log", "goes to /tmp/log"},
		{line + " 2>/dev/null >/tmp/x", "goes to /tmp/x"},
		{line + " &>/dev/null", "goes to /dev/null"},
		{line + " >&2", "goes to 2"},
		{line + " 1>&-", "goes to -"},
		{line + " </dev/null", "reads /dev/null in place of the event"},
		{line + " <<< '{}'", "in place of the event"},
		{line + " || true", "|| true follows"},
		{line + " || exit 0", "|| exit 0 follows"},
		{line + " && true", "&& true follows"},
		{line + "; exit 0", "exit 0 follows"},
		{line + "\nexit 0", "exit 0 follows"},
		{line + " | tee /tmp/log", "| tee /tmp/log follows"},
		{line + " &", "nobody waits"},
		{"! " + line, "may not reach"},
		{"(" + line + ")", "it stands in"},
		{"if true; then " + line + "; fi", "it may not reach"},
		{"test -n \"$CI\" || " + line, "may not reach"},
		{"HOOKWAY_HOME=/tmp/x " + line, "may not reach"},
		{"env A=b " + line, "may not reach"},
		{"timeout 1 " + line, "may not reach the agent: timeout 1"},
		{"sh -c '" + line + " || exit 0'", "may not reach"},
		{"bash -lc \"" + line + "\"", "may not reach"},
		{"nice -n 19 " + line, "may not reach"},
		{"cat | " + line, "may not reach"},
		{"true; " + line, "may not reach"},
		{"eval '" + line + "'", "may not reach"},
		{strings.Replace(line, "PreToolUse", "PostToolUse", 1), "--event PostToolUse"},
		{strings.Replace(line, "PreToolUse", "pretooluse", 1), "--event pretooluse"},
		{line + " $X", "$X may become anything"},
		{"echo hookway-hook", ""},
		{"/other/guard --event PreToolUse", ""},
	} {
		m := newMachine(t)
		m.write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": `+quoteJSON(c.line)+`}]}]}}`)
		s, err := Installed("claude", User, m.o)
		m.must(err)
		if got := strings.Join(s.Faults, " / "); c.want == "" && got != "" || !strings.Contains(strings.ReplaceAll(got, "its answer may not reach", "its answer: it may not reach"), c.want) {
			t.Errorf("%s\n  says %q, want %q", c.line, got, c.want)
		}
	}
}

// TestFaultsOfHandlers: what stands beside the line.
func TestFaultsOfHandlers(t *testing.T) {
	for _, c := range []struct{ agent, file, text, want string }{
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 1, "command": "/x/hookway-hook claude --event PreToolUse --timeout 60s"}]}]}}`, "waits 1s, and hookway may take 1m0s"},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "timeout": 60, "command": "/x/hookway-hook claude --event PreToolUse --timeout 60s"}]}]}}`, "its type is \"prompt\""},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": "timeout", "args": ["1", "/x/hookway-hook", "claude"]}]}]}}`, "may not reach the agent: timeout 1"},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook", "args": ["claude", "--event", "Stop", "--timeout", "60s"]}]}]}}`, "--event Stop"},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook", "args": ["claude", "--event", "PreToolUse", "--timeout", "60s"]}]}]}}`, ""},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook claude --event PreToolUse --timeout 60s"}, {"type": "command", "command": "/x/hookway-hook claude --event PreToolUse || true"}]}]}}`, ""}, // one of them is asked
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": "60", "command": "/x/hookway-hook claude --event PreToolUse --timeout 60s"}]}]}}`, "its timeout is a string"},
		{"codex", ".codex/hooks.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": {}, "command": "/x/hookway-hook codex --event PreToolUse --timeout 60s"}]}]}}`, "its timeout is an object"},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "shell": "powershell", "timeout": 60, "command": "/x/hookway-hook claude --event PreToolUse --timeout 60s"}]}]}}`, "its shell is \"powershell\""},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "shell": "bash", "timeout": 60, "command": "/x/hookway-hook claude --event PreToolUse --timeout 60s"}]}]}}`, ""},
		{"gemini", ".gemini/settings.json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "timeout": 60000, "command": "/x/hookway-hook gemini --event BeforeTool --timeout 60s"}]}]}}`, ""},
		{"gemini", ".gemini/settings.json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook gemini --event BeforeTool --timeout 60s"}]}]}}`, "waits 60ms"},
		{"copilot", ".copilot/hooks/hookway.json", `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "timeoutSec": 1, "bash": "/x/hookway-hook copilot --event preToolUse --timeout 60s"}]}}`, "waits 1s"},
		{"cursor", ".cursor/hooks.json", `{"version": 1, "hooks": {"preToolUse": [{"timeout": 1, "command": "/x/hookway-hook cursor --event preToolUse --timeout 60s"}]}}`, "waits 1s"},
		{"codex", ".codex/hooks.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook codex --event PreToolUse --timeout 60s || true"}]}]}}`, "|| true"},
		{"qwen", ".qwen/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook qwen --event PreToolUse --timeout 60s &"}]}]}}`, "nobody waits"},
		{"antigravity", ".gemini/config/hooks.json", `{"hookway": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "timeout": 60, "command": "/x/hookway-hook antigravity --event Stop --timeout 60s"}]}]}}`, "--event Stop"},
	} {
		m := newMachine(t)
		m.write(c.file, c.text)
		s, err := Installed(c.agent, User, m.o)
		m.must(err)
		if got := strings.Join(s.Faults, " / "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\n  says %q, want %q", c.agent, c.text, got, c.want)
		}
	}
}

// TestWhatInstallWritesHasNoFaults, with every timeout, and after an older hookway.
func TestWhatInstallWritesHasNoFaults(t *testing.T) {
	for _, name := range Agents() {
		for _, scope := range []Scope{User, Project} {
			m := newMachine(t)
			m.install(name, scope)
			s, err := Installed(name, scope, m.o)
			m.must(err)
			if len(s.Faults) > 0 || len(s.Events) == 0 {
				t.Errorf("%s, for the %s: %d events, %q", name, scope, len(s.Events), s.Faults)
			}
			m.o.Shim = "/elsewhere/hookway-hook"
			if s, err = Installed(name, scope, m.o); err != nil || len(s.Faults) > 0 {
				t.Errorf("%s, for the %s, from elsewhere: %q %v", name, scope, s.Faults, err)
			}
		}
	}
}

// TestAnEditedPlugin: OpenCode's file is code, of which it is unknown what it does
// once it is edited.
func TestAnEditedPlugin(t *testing.T) {
	m := newMachine(t)
	m.install("opencode", User)
	file := slices.Collect(maps.Keys(m.files()))
	path := ""
	for _, f := range file {
		if strings.HasSuffix(f, "hookway.js") {
			path = f
		}
	}
	text := m.read(path)
	for _, change := range []struct {
		text string
		want int
	}{
		{text, 0},
		{strings.Replace(text, "async ", "async  ", 1), 1},
		{strings.Replace(text, "=> {", "=> { return {};", 1), 1},
		{text + "\n", 1},
		{text, 0},
	} {
		m.write(path, change.text)
		s, err := Installed("opencode", User, m.o)
		if err != nil || len(s.Faults) != change.want {
			t.Errorf("%d bytes: %q, %v", len(change.text), s.Faults, err)
		}
	}
	m.o.State = m.path("another state")
	if s, err := Installed("opencode", User, m.o); err != nil || len(s.Faults) > 0 {
		t.Errorf("with no record: %q, %v", s.Faults, err)
	}
}

// TestCursorDropsAFileForOneEvent that it does not know.
func TestCursorDropsAFileForOneEvent(t *testing.T) {
	m := newMachine(t)
	m.install("cursor", User)
	if s, err := Installed("cursor", User, m.o); err != nil || len(s.Off) > 0 {
		t.Fatalf("got %q %v, want err == nil and len(s.Off) == 0", s.Off, err)
	}
	m.write(".cursor/hooks.json", strings.Replace(m.read(".cursor/hooks.json"), `"hooks": {`, `"hooks": {"bogus": [],`, 1))
	if s, err := Installed("cursor", User, m.o); err != nil || len(s.Off) != 1 || !strings.Contains(s.Off[0], "hooks.bogus") {
		t.Errorf(`got %q %v, want err == nil and len(s.Off) == 1 and strings.Contains(s.Off[0], "hooks.bogus")`, s.Off, err)
	}
}
