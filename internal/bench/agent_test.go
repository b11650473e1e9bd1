package bench

import (
	"fmt"
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
		plan := AgentPlan{Program: self, Floor: true, Runs: 2, Turns: 3}
		err := plan.Find(agent)
		if (err != nil) != (want != "") || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf(`%s: got %v, want (err != nil) == (want != "") and strings.Contains(fmt.Sprint(err), want)`, agent, err)
		}
	}
}
