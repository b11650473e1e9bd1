package doctor

import (
	"encoding/json"
	"fmt"
)

// markedCalls are, for each codec, the event before a shell command runs, as the
// agent writes it: enough of it for the codec, and for people who read the log.
var markedCalls = map[string]struct {
	event   string
	payload func(command, session, dir string) any
}{
	"claude": {"PreToolUse", likeClaude("Bash")},
	"codex":  {"PreToolUse", likeClaude("Bash")},
	"qwen":   {"PreToolUse", likeClaude("run_shell_command")},
	"gemini": {"BeforeTool", func(command, session, dir string) any {
		return map[string]any{"hook_event_name": "BeforeTool", "session_id": session, "cwd": dir, "tool_name": "run_shell_command",
			"tool_input": map[string]any{"command": command}}
	}},
	"antigravity": {"PreToolUse", func(command, session, dir string) any {
		return map[string]any{"conversationId": session, "workspacePaths": []string{dir}, "stepIdx": 0,
			"toolCall": map[string]any{"name": "run_command", "args": map[string]any{"CommandLine": command, "Cwd": dir}}}
	}},
	"cursor": {"preToolUse", func(command, session, dir string) any {
		return map[string]any{"hook_event_name": "preToolUse", "conversation_id": session, "session_id": session, "workspace_roots": []string{dir},
			"cwd": dir, "tool_name": "Shell", "tool_input": map[string]any{"command": command}, "tool_use_id": session}
	}},
	"copilot": {"preToolUse", func(command, session, dir string) any {
		return map[string]any{"sessionId": session, "timestamp": 0, "cwd": dir, "toolName": "bash", "toolArgs": map[string]any{"command": command}}
	}},
	"copilot-pascal": {"PreToolUse", likeClaude("Bash")},
	"opencode": {"tool.execute.before", func(command, session, dir string) any {
		return map[string]any{"hook_event_name": "tool.execute.before", "session_id": session, "cwd": dir,
			"input":  map[string]any{"tool": "bash", "sessionID": session, "callID": session},
			"output": map[string]any{"args": map[string]any{"command": command}}}
	}},
}

// likeClaude is the form that Claude Code invented.
func likeClaude(tool string) func(command, session, dir string) any {
	return func(command, session, dir string) any {
		return map[string]any{"hook_event_name": "PreToolUse", "session_id": session, "cwd": dir, "tool_name": tool,
			"tool_input": map[string]any{"command": command}, "tool_use_id": session}
	}
}

// markedCall gives the event of a codec as the agent would write it.
func markedCall(codec, command, session, dir string) (event string, stdin []byte, err error) {
	m, ok := markedCalls[codec]
	if !ok {
		return "", nil, fmt.Errorf("hookway doctor has no event of %s to try", codec)
	}
	stdin, err = json.Marshal(m.payload(command, session, dir))
	return m.event, stdin, err
}
