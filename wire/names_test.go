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
		switch {
		case use.ToolName != "Bash":
			t.Errorf("%v: use.ToolName: got %v, want %v", name, use.ToolName, "Bash")
		case use.Text("command") != "ls" || ev.Head().CWD != "/w" || ev.Head().Session != "s":
			t.Errorf("%s: %+v at %+v", name, use, ev.Head())
		case len(use.RecentTools) != 1:
			t.Errorf("%v: len(use.RecentTools): got %v, want %v", name, len(use.RecentTools), 1)
		}
	}
	ev, err := wire.DecodeEvent([]byte(`{"hook_event_name":"post_tool_use","tool":"Bash","args":{},"result":{"success":false,"output":"o","exit_code":1,"duration_ms":5}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	switch r := ev.Body().(hook.ToolResult); {
	case r.ToolName != "Bash":
		t.Errorf("r.ToolName: got %v, want %v", r.ToolName, "Bash")
	case r.ToolResponse.Success:
		t.Errorf("result %+v", r)
	case r.ToolResponse.Output != "o":
		t.Errorf("r.ToolResponse.Output: got %v, want %v", r.ToolResponse.Output, "o")
	case *r.ToolResponse.ExitCode != 1:
		t.Errorf("*r.ToolResponse.ExitCode: got %v, want %v", *r.ToolResponse.ExitCode, 1)
	}
	if _, err := wire.DecodeEvent([]byte(`{"hook_event_name":"PreToolUse","tool":7}`), nil); err == nil {
		t.Error("a tool that is a number is taken")
	}
}
