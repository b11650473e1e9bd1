package main

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	for _, c := range []struct {
		agent, event string
		timeout      time.Duration
		want         time.Duration
	}{
		{"claude", "PreToolUse", 60 * time.Second, 57 * time.Second},
		{"claude", "PreToolUse", 0, 595 * time.Second},
		{"claude", "UserPromptSubmit", 0, 28500 * time.Millisecond},
		{"claude", "SessionEnd", 0, 1350 * time.Millisecond},
		{"codex", "PreToolUse", 0, 595 * time.Second},
		{"codex", "SessionEnd", 0, 2850 * time.Millisecond},
		{"codex", "Interrupt", 0, 2850 * time.Millisecond},
		{"gemini", "BeforeTool", 0, 57 * time.Second},
		{"qwen", "PreToolUse", 0, 57 * time.Second},
		{"cursor", "preToolUse", 0, 57 * time.Second},
		{"opencode", "tool.execute.before", 0, 57 * time.Second},
		{"copilot", "preToolUse", 0, 28500 * time.Millisecond},
		{"copilot-pascal", "PreToolUse", 0, 28500 * time.Millisecond},
		{"antigravity", "PreToolUse", 0, 28500 * time.Millisecond},
		{"claude", "PreToolUse", 100 * time.Millisecond, 50 * time.Millisecond},
		{"claude", "PreToolUse", time.Second, 850 * time.Millisecond},
		{"claude", "PreToolUse", time.Hour, time.Hour - 5*time.Second},
	} {
		if got := patience(options{agent: c.agent, event: c.event, timeout: c.timeout}); got != c.want {
			t.Errorf("%s %s --timeout %v: %v, want %v", c.agent, c.event, c.timeout, got, c.want)
		}
	}
}

// TestNoArguments: who leaves out the list of arguments is answered as Claude Code.
func TestNoArguments(t *testing.T) {
	o, text, err := parse(nil)
	if want := (options{agent: "claude", timeout: time.Minute}); o != want || text != "" || err != nil {
		t.Errorf("read as %+v, %q, %v", o, text, err)
	}
}

func TestTheCommandLineOfInstall(t *testing.T) {
	o, text, err := parse([]string{"gemini", "--event", "BeforeTool", "--timeout", "60s", "--on-failure", "continue"})
	if want := (options{agent: "gemini", event: "BeforeTool", policy: "continue", timeout: time.Minute}); o != want || text != "" || err != nil {
		t.Errorf("read as %+v, %q, %v", o, text, err)
	}
	if o, _, err = parse([]string{"gemini", "--event=BeforeTool", "--timeout=1m"}); err != nil || o.event != "BeforeTool" || o.timeout != time.Minute {
		t.Errorf("with equals signs: %+v, %v", o, err)
	}
}
