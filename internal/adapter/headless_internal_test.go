package adapter

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/process"
)

// TestWhoCanBeAsked puts an agent above a shell that runs the hook.
func TestWhoCanBeAsked(t *testing.T) {
	for _, tt := range []struct {
		line     string
		terminal bool
		headless bool
	}{
		{"gemini", true, false},
		{"/usr/bin/gemini --yolo", true, false},
		{"/usr/bin/node --no-warnings /usr/bin/gemini -i hello", true, false},
		{"node-22 /lib/node_modules/@google/gemini-cli/bundle/entry.js", true, false},
		{"gemini", false, true},
		{"gemini -p hello", true, true},
		{"gemini --prompt hello", true, true},
		{"gemini --prompt=hello", true, true},
		{"gemini -yp hello", true, true},
		{"gemini --prompt-interactive hello", true, false},
		{"vim gemini", true, true},                    // no agent
		{"hookway-hook gemini --event X", true, true}, // nor is this
		{"node notes.js gemini", true, true},
		{"", true, true},
	} {
		tree := map[int]process.Process{
			30: {Args: strings.Fields("hookway-hook gemini --event BeforeTool --timeout 60s"), Parent: 20},
			20: {Args: []string{"bash", "-c", "hookway-hook gemini --event BeforeTool --timeout 60s"}, Parent: 10},
			10: {Args: strings.Fields(tt.line), Parent: 1, Interactive: tt.terminal},
			1:  {Args: []string{"init"}},
		}
		look := func(pid int) (process.Process, bool) { p, ok := tree[pid]; return p, ok }
		if got := headless(30, "gemini", look); got != tt.headless {
			t.Errorf("%q, terminal %v: headless is %v", tt.line, tt.terminal, got)
		}
	}
}

func TestALoopOfParentsEnds(t *testing.T) {
	look := func(pid int) (process.Process, bool) {
		return process.Process{Args: []string{"sh"}, Parent: 5 - pid}, true
	}
	if !headless(2, "gemini", look) {
		t.Error("no user was found, but is said to be there")
	}
}
