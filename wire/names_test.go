package wire_test

import (
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// Events may come under A3S Box's names, flat or as its own object.
func TestEventsOfA3SMeanTheSame(t *testing.T) {
	for name, text := range map[string]string{
		"flat":   `{"hook_event_name":"pre_tool_use","session_id":"s","tool":"Bash","args":{"command":"ls"},"working_directory":"/w","recent_tools":["Read"]}`,
		"whole":  `{"event_type":"pre_tool_use","session_id":"s","payload":{"session_id":"s","tool":"Bash","args":{"command":"ls"},"working_directory":"/w","recent_tools":["Read"]}}`,
		"ours":   `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/w","recent_tools":["Read"]}`,
		"common": `{"hook_event_name":"PreToolUse","session_id":"s","toolName":"Bash","params":{"command":"ls"},"cwd":"/w","recent_tools":["Read"]}`,
	} {
		ev, err := wire.DecodeEvent([]byte(text), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		use := ev.Body().(hook.ToolUse)
		if use.ToolName != "Bash" || use.Text("command") != "ls" || ev.Head().CWD != "/w" || ev.Head().Session != "s" || len(use.RecentTools) != 1 {
			t.Errorf("%s: %+v at %+v", name, use, ev.Head())
		}
	}
	ev, err := wire.DecodeEvent([]byte(`{"hook_event_name":"post_tool_use","tool":"Bash","args":{},"result":{"success":false,"output":"o","exit_code":1,"duration_ms":5}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := ev.Body().(hook.ToolResult); r.ToolName != "Bash" || r.ToolResponse.Success || r.ToolResponse.Output != "o" || *r.ToolResponse.ExitCode != 1 {
		t.Errorf("result %+v", r)
	}
	if _, err := wire.DecodeEvent([]byte(`{"hook_event_name":"PreToolUse","tool":7}`), nil); err == nil {
		t.Error("a tool that is a number is taken")
	}
}
