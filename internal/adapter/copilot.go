package adapter

import (
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Copilot speaks the hook protocol of GitHub Copilot CLI, as version 1.0 reads
// it. Copilot has two, and chooses by the casing of the event's name in its
// configuration: a name like preToolUse gets a payload without the event's name
// and a flat answer, one like PreToolUse gets Claude Code's shapes. The one's
// refusal lets the tool run under the other.
type Copilot struct {
	Pascal bool // the configuration has names like PreToolUse
}

// About describes Copilot CLI.
func (c Copilot) About() *About {
	if c.Pascal {
		return &copilotPascalAbout
	}
	return &copilotAbout
}

// Decode reads what Copilot writes to a hook's stdin. Both casings are read by
// either codec: a permission request, and a part of a notification, come in
// camelCase always.
func (c Copilot) Decode(call Call, find Find) (hook.AnyEvent, error) {
	about := c.About()
	native, err := readNative(about, call)
	if err != nil {
		return nil, err
	}
	name, err := c.eventName(call, native)
	if err != nil {
		return nil, err
	}
	flat := flatten(about, name, native, func(flat object) { copilotFields(flat, native) })
	return build(about, name, native, flat, find)
}

func (c Copilot) eventName(call Call, native object) (string, error) {
	if name, _ := native["hookName"].(string); call.Event == "" && name == "permissionRequest" {
		if c.Pascal {
			return "PermissionRequest", nil
		}
		return name, nil
	}
	return eventName(c.About(), call, native, "hook_event_name")
}

// copilotFields gives the fields of all events under our names.
func copilotFields(flat, native object) {
	takeText(flat, "session_id", native, "sessionId", "session_id")
	takeText(flat, "transcript_path", native, "transcriptPath", "transcript_path")
	takeText(flat, "cwd", native, "cwd")
	for _, name := range []string{"source", "prompt", "reason", "message", "title", "trigger"} {
		takeText(flat, name, native, name)
	}
	takeText(flat, "notification_type", native, "notificationType")
	takeText(flat, "custom_instructions", native, "customInstructions")
	takeText(flat, "agent_id", native, "agentId")
	takeText(flat, "agent_type", native, "agentType", "agent_type", "agentName", "agent_name")
	takeText(flat, "last_message", native, "response")
	if reason, ok := pick[string](native, "stopReason", "stop_reason"); ok {
		flat["success"] = reason != "error" && reason != "abort"
	}
	if active, ok := native["stop_hook_active"].(bool); ok {
		flat["stop_hook_active"] = active
	}
	copilotTool(flat, native)
	copilotError(flat, native)
}

// pick gives the first field of the type.
func pick[T any](native object, names ...string) (value T, ok bool) {
	for _, name := range names {
		if value, ok = native[name].(T); ok {
			return value, true
		}
	}
	return value, false
}

func copilotTool(flat, native object) {
	takeText(flat, "tool_name", native, "toolName", "tool_name")
	take(flat, "tool_input", native, "toolArgs", "toolInput", "tool_input")
	if input, ok := flat["tool_input"]; ok {
		flat["tool_input"] = parsed(input)
		tellPatch(flat)
	}
	result, ok := pick[object](native, "toolResult", "tool_result")
	if !ok {
		return
	}
	kind, _ := pick[string](result, "resultType", "result_type")
	text, _ := pick[string](result, "textResultForLlm", "text_result_for_llm")
	response := object{"success": kind == "" || kind == "success", "output": text}
	if code, ok := copilotExitCode(text); ok {
		response["exit_code"] = code
	}
	if kind != "" {
		response["result_type"] = kind
	}
	flat["tool_response"] = response
}

// copilotExitCode reads the exit code of a shell command off the end of its result.
func copilotExitCode(text string) (code int, ok bool) {
	const before = " completed with exit code "
	at := strings.LastIndex(text, before)
	if at < 0 {
		return 0, false
	}
	digits, ok := strings.CutSuffix(strings.TrimSpace(text[at+len(before):]), ">")
	code, err := strconv.Atoi(digits)
	return code, ok && err == nil
}

// copilotError reads an error that is a text, or an object with a message.
func copilotError(flat, native object) {
	takeText(flat, "error", native, "error")
	if failure, ok := native["error"].(object); ok {
		takeText(flat, "error", failure, "message", "name")
	}
	switch where, _ := pick[string](native, "errorContext", "error_context"); where {
	case "":
	case "model_call":
		flat["phase"] = "llm"
	case "tool_execution":
		flat["phase"] = "tool"
	default:
		flat["phase"] = "agent"
	}
}
