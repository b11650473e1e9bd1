//go:build unix

package public

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// happening is an event, as Claude Code tells it.
type happening struct {
	name   string
	event  string
	fields object
	may    bool // it does no harm, and a real agent may run it
}

func tool(name, tool string, input object) happening {
	return happening{name, "PreToolUse", object{"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_00000001"}, false}
}

func bash(command string) happening {
	return tool("Bash "+command, "Bash", object{"command": command, "description": "run a command"})
}

func (h happening) harmless() happening { h.may = true; return h }

// done is a call after it ran.
func (h happening) done(response any) happening {
	fields := maps.Clone(h.fields)
	fields["tool_response"], fields["duration_ms"] = response, 83
	return happening{"after " + h.name, "PostToolUse", fields, false}
}

// asked is a call that the user is to be asked about.
func (h happening) asked() happening {
	fields := maps.Clone(h.fields)
	delete(fields, "tool_use_id")
	return happening{"leave for " + h.name, "PermissionRequest", fields, false}
}

func other(event string, fields ...any) happening {
	h := happening{name: event, event: event, fields: object{}}
	for i := 0; i < len(fields); i += 2 {
		name, _ := fields[i].(string)
		h.fields[name] = fields[i+1]
		if value, ok := fields[i+1].(string); ok {
			h.name += " " + value
		}
	}
	return h
}

// native is the happening as the agent tells it: its name of the event and what it
// writes to a hook's stdin. It reports false if the agent has nothing like it.
func (h happening) native(t testing.TB, agent, project, session string) (event string, stdin []byte, ok bool) {
	t.Helper()
	all := object{"session_id": session, "cwd": project, "hook_event_name": h.event, "transcript_path": project + "/../transcripts/" + session + ".jsonl"}
	maps.Copy(all, h.fields)
	switch agent {
	case "claude":
		all["prompt_id"], all["permission_mode"] = "3b77c957-8d35-4849-8ed1-f00902bf7d61", "default"
		ok = true
	case "codex":
		all["turn_id"], all["model"], all["permission_mode"] = "01a1fb77-5b1c-7292-86d6-e12c05e9e3d6", "gpt-5.5", "default"
		ok = codexWords(all)
	case "gemini":
		all["timestamp"] = "2026-11-20T23:40:35.120Z"
		ok = geminiWords(all)
	}
	stdin, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	event, _ = all["hook_event_name"].(string)
	return event, append(stdin, '\n'), ok
}

// codexWords makes an event one of Codex: it writes files by patches, reads them by
// its shell, and gives results as text.
func codexWords(all object) bool {
	switch all["hook_event_name"] {
	case "SessionStart", "UserPromptSubmit", "PreCompact", "SubagentStart", "SubagentStop", "Stop", "SessionEnd":
		delete(all, "background_tasks")
		return true
	case "PreToolUse", "PostToolUse", "PermissionRequest":
	default:
		return false
	}
	input, _ := all["tool_input"].(object)
	name, _ := all["tool_name"].(string)
	switch {
	case name == "Bash":
		all["tool_input"] = object{"command": input["command"]}
		if response, ok := all["tool_response"].(object); ok {
			all["tool_response"] = response["stdout"]
		}
	case name == "Write" || name == "Edit":
		all["tool_name"], all["tool_input"] = "apply_patch", object{"command": patch(input)}
		if all["tool_response"] != nil {
			all["tool_response"] = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA " + text(input, "file_path") + "\n"
		}
	case strings.HasPrefix(name, "mcp__"):
		return all["tool_response"] == nil
	default:
		return false
	}
	return true
}

// patch is the patch that does what a Write or an Edit would.
func patch(input object) string {
	lines := func(sign, text string) (all string) {
		for line := range strings.Lines(text) {
			all += sign + strings.TrimSuffix(line, "\n") + "\n"
		}
		return all
	}
	file := text(input, "file_path")
	if content, ok := input["content"].(string); ok {
		return "*** Begin Patch\n*** Add File: " + file + "\n" + lines("+", content) + "*** End Patch\n"
	}
	return "*** Begin Patch\n*** Update File: " + file + "\n@@\n" + lines("-", text(input, "old_string")) + lines("+", text(input, "new_string")) + "*** End Patch\n"
}

// geminiNames are Gemini CLI's names of tools.
var geminiNames = map[string]string{"Bash": "run_shell_command", "Read": "read_file", "Write": "write_file", "Edit": "replace"}

// geminiEvents are its names of events.
var geminiEvents = map[string]string{
	"SessionStart": "SessionStart", "SessionEnd": "SessionEnd", "UserPromptSubmit": "BeforeAgent", "PreToolUse": "BeforeTool",
	"PostToolUse": "AfterTool", "Stop": "AfterAgent", "PreCompact": "PreCompress", "Notification": "Notification",
}

// geminiWords makes an event one of Gemini CLI.
func geminiWords(all object) bool {
	event, _ := all["hook_event_name"].(string)
	native, ok := geminiEvents[event]
	if !ok {
		return false
	}
	all["hook_event_name"] = native
	delete(all, "tool_use_id")
	if event == "Notification" {
		all["notification_type"], all["details"] = "ToolPermission", object{"type": "exec"}
	}
	delete(all, "duration_ms")
	if event == "Stop" {
		all["prompt"], all["prompt_response"] = "Please run the command.", all["last_assistant_message"]
		delete(all, "last_assistant_message")
		delete(all, "background_tasks")
	}
	name, has := all["tool_name"].(string)
	if !has {
		return true
	}
	if server, tool, found := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__"); found {
		all["tool_name"], all["mcp_context"] = "mcp_"+server+"_"+tool, object{"server_name": server, "tool_name": tool}
		return all["tool_response"] == nil
	}
	all["tool_name"], has = geminiNames[name]
	if response, ok := all["tool_response"].(object); ok {
		shown := text(response, "stdout")
		all["tool_response"] = object{"llmContent": "Output: " + shown, "returnDisplay": shown}
		if name != "Bash" {
			all["tool_response"] = object{"llmContent": "Successfully wrote the file.", "returnDisplay": "Wrote the file."}
		}
	}
	return has
}
