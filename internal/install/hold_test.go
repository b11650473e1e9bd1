package install

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWhereACallMayBeHeld: an agent that can wait for a person is told to, at the events
// of tools and permissions alone.
func TestWhereACallMayBeHeld(t *testing.T) {
	for _, c := range []struct {
		agent string
		hold  time.Duration
		want  string
	}{
		{"claude", 0, "PreToolUse 600s, PermissionRequest 600s"},
		{"claude", HoldFor(true, 30*time.Minute), "PreToolUse 1860s, PermissionRequest 1860s"},
		{"claude", 48 * time.Hour, "PreToolUse 86400s, PermissionRequest 86400s"},
		{"claude", HoldFor(false, 30*time.Minute), ""},
		{"codex", 0, "PreToolUse 600s, PermissionRequest 600s"},
		{"gemini", 0, "BeforeTool 600s"},
		{"copilot", 0, "preToolUse 600s, permissionRequest 600s"},
		{"opencode", 0, "tool.execute.before 600s"},
		{"qwen", 0, ""},
		{"cursor", 0, ""},
		{"antigravity", 0, ""},
	} {
		m := newMachine(t)
		before := m.files()
		m.o.table, m.o.Hold, m.o.Trust = nil, c.hold, true
		m.install(c.agent, User)
		s, err := Installed(c.agent, User, m.o)
		m.must(err)
		if s.Stale || len(s.Short) > 0 || s.Timeout != DefaultTimeout {
			t.Errorf("%s, %v: stale %v, too short at %q, %v else", c.agent, c.hold, s.Stale, s.Short, s.Timeout)
		}
		if got := longer(s); got != c.want {
			t.Errorf("%s, %v: waits longer at %q, want %q", c.agent, c.hold, got, c.want)
		}
		m.uninstall(c.agent, User)
		m.same(before)
	}
}

// longer are the events at which an agent waits longer than elsewhere.
func longer(s State) string {
	var all []string
	for _, e := range s.Events {
		if d, err := time.ParseDuration(e.Timeout); err == nil && d > DefaultTimeout {
			all = append(all, e.Name+" "+e.Timeout)
		}
	}
	return strings.Join(all, ", ")
}

// TestAnInstallationOfBefore waits too short a time for a person, and installing again
// mends it.
func TestAnInstallationOfBefore(t *testing.T) {
	for agent, want := range map[string][]string{
		"claude": {"PreToolUse", "PermissionRequest"}, "codex": {"PreToolUse", "PermissionRequest"}, "gemini": {"BeforeTool"},
		"copilot": {"preToolUse", "permissionRequest"}, "opencode": {"tool.execute.before"}, "qwen": nil,
	} {
		m := newMachine(t)
		m.o.table, m.o.Trust, m.o.Hold = nil, true, -1
		m.install(agent, User)
		m.o.Hold = 0
		s, err := Installed(agent, User, m.o)
		m.must(err)
		if !slices.Equal(s.Short, want) || s.Stale != (want != nil) {
			t.Errorf("%s: too short at %q, stale %v; want %q", agent, s.Short, s.Stale, want)
		}
		m.install(agent, User)
		if s, err = Installed(agent, User, m.o); err != nil || s.Stale || len(s.Short) > 0 {
			t.Errorf("%s, installed again: too short at %q, stale %v, %v", agent, s.Short, s.Stale, err)
		}
	}
}

// TestQwenWaitsAMinute, whatever its settings say, and takes a thousand seconds for one.
func TestQwenWaitsAMinute(t *testing.T) {
	m := newMachine(t)
	m.o.Timeout = 20 * time.Minute
	m.install("qwen", User)
	if got := m.read(".qwen/settings.json"); !strings.Contains(got, `--timeout 60s"`) || !strings.Contains(got, `"timeout": 60`) || strings.Contains(got, "1200") {
		t.Errorf("it is told to wait longer:\n%s", got)
	}
	for timeout, want := range map[int]string{60: "", 1200: "waits 1.2s", 60000: ""} {
		m.write(".qwen/settings.json", fmt.Sprintf(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": %d, "command": "/x/hookway-hook qwen --event PreToolUse --timeout 60s"}]}]}}`, timeout))
		s, err := Installed("qwen", User, m.o)
		m.must(err)
		if got := strings.Join(s.Faults, ""); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("timeout %d: %q, want %q", timeout, got, want)
		}
	}
}
