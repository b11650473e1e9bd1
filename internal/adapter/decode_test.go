package adapter_test

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// TestACallThatNamesNoToolIsNotJudged: no matcher would hold for it, so an agent
// that renames the field would be past every guard.
func TestACallThatNamesNoToolIsNotJudged(t *testing.T) {
	named := map[string]bool{ // by these events, the event itself says which tool it is
		"beforeShellExecution": true, "beforeMCPExecution": true, "beforeReadFile": true, "beforeTabFileRead": true,
	}
	for _, c := range adapter.All() {
		for _, e := range c.About().Events {
			if e.Kind != hook.PreToolUse.Info() && e.Kind != hook.PermissionRequest.Info() || named[e.Name] {
				continue
			}
			for _, stdin := range []string{`{}`, `{"session_id":"s","tool":"Bash","tool_name":"","toolName":""}`} {
				ev, err := c.Decode(adapter.Call{Event: e.Name, Stdin: []byte(stdin)}, nil)
				if err == nil || !strings.Contains(err.Error(), "tool") {
					t.Errorf("%s %s: %s became %v, %v", c.About().Name, e.Name, stdin, ev, err)
				}
			}
		}
	}
}

// TestWhatIsNoObjectIsNamedInWordsOfJSON: the reason of a refusal is read by models
// and people, who know no types of Go.
func TestWhatIsNoObjectIsNamedInWordsOfJSON(t *testing.T) {
	for _, c := range adapter.All() {
		for stdin, kind := range map[string]string{`[1]`: "array", `"rm"`: "string", `3`: "number"} {
			_, err := c.Decode(adapter.Call{Event: c.About().Events[0].Name, Stdin: []byte(stdin)}, nil)
			if err == nil || !strings.Contains(err.Error(), kind) || strings.Contains(err.Error(), "interface") {
				t.Errorf("%s: %s is refused with %v", c.About().Name, stdin, err)
			}
		}
	}
}
