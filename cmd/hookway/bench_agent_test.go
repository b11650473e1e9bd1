package main

import (
	"os"
	"strings"
	"testing"
)

// A program that does nothing cannot keep up a conversation.
func TestTheFloorNeedsAProcessForEachEvent(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string]string{"claude": "", "gemini": "", "opencode": "--floor", "nobody": "not measured"} {
		plan := benchAgentPlan{program: self, floor: true, runs: 2, turns: 3}
		err := plan.find(agent)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", agent, err)
		}
	}
}
