package adapter

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// OpenCode speaks to hookway's own plugin inside OpenCode, which has no hooks
// that are commands. The plugin is given with the installer; it writes
//
//	{"hook_event_name": NAME, "session_id": ID, "cwd": DIR, "input": {…}, "output": {…}}
//
// with what OpenCode gave it, and reads
//
//	{"action": "block", "reason": TEXT}   it throws, which is how a plugin stops something
//	{"modified": {"args": {…}}}           it writes these into output
//	{"inject": TEXT}                      text for the model
//	{}                                    nothing
//
// NAME is a hook of a plugin, such as tool.execute.before, or the type of an event
// on OpenCode's bus, such as session.idle; that event is then the input.
type OpenCode struct{}

// About describes OpenCode.
func (OpenCode) About() *About { return &openCodeAbout }

// Decode reads what the plugin writes.
func (OpenCode) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&openCodeAbout, c, "hook_event_name")
	if err != nil {
		return nil, err
	}
	flat := flatten(&openCodeAbout, name, native, func(flat object) { openCodeFields(flat, name, native) })
	return build(&openCodeAbout, name, native, flat, find)
}

// openCodeFields gives the fields of an event under our names.
func openCodeFields(flat object, event string, native object) {
	takeText(flat, "session_id", native, "session_id")
	takeText(flat, "cwd", native, "cwd", "directory")
	in, out := inner(native, "input"), inner(native, "output")
	if properties := inner(in, "properties"); properties != nil { // of the bus
		in = properties
	}
	if flat["session_id"] == nil || flat["session_id"] == "" {
		takeText(flat, "session_id", in, "sessionID")
	}
	switch event {
	case "tool.execute.before", "tool.execute.after":
		openCodeTool(flat, event, in, out)
	case "chat.message":
		flat["prompt"] = openCodeText(out["parts"])
	case "chat.params", "experimental.chat.system.transform", "experimental.chat.messages.transform":
		openCodeModel(flat, in, out)
	case "experimental.text.complete":
		takeText(flat, "response_text", out, "text")
	case "permission.asked":
		openCodePermission(flat, in)
	case "session.idle":
		flat["success"] = true
		takeText(flat, "last_message", in, "finalMessage")
	case "session.error":
		flat["phase"] = "agent"
		openCodeError(flat, in)
	case "session.created":
		flat["source"] = "startup"
		if flat["session_id"] == nil || flat["session_id"] == "" {
			takeText(flat, "session_id", inner(in, "info"), "id")
		}
	}
}

func openCodeTool(flat object, event string, in, out object) {
	takeText(flat, "tool_name", in, "tool")
	takeText(flat, "tool_use_id", in, "callID")
	take(flat, "tool_input", out, "args")
	if event == "tool.execute.before" {
		tellPatch(flat)
		return
	}
	take(flat, "tool_input", in, "args")
	tellPatch(flat)
	response := object{"success": true}
	takeText(response, "output", out, "output")
	takeText(response, "title", out, "title")
	meta := inner(out, "metadata")
	if code, ok := whole(meta["exit"]); ok {
		response["exit_code"], response["success"] = code, code == 0
	}
	flat["tool_response"] = response
}

// openCodeText joins the texts of a message's parts.
func openCodeText(parts any) string {
	list, _ := parts.([]any)
	var texts []string
	for _, part := range list {
		p, _ := part.(object)
		if text, ok := p["text"].(string); ok && p["type"] == "text" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func openCodeModel(flat object, in, out object) {
	if model := inner(in, "model"); model != nil {
		takeText(flat, "model_provider", model, "providerID")
		takeText(flat, "model_name", model, "id", "modelID")
	}
	if system, ok := out["system"].([]any); ok {
		var texts []string
		for _, s := range system {
			if text, ok := s.(string); ok {
				texts = append(texts, text)
			}
		}
		flat["system_prompt"] = strings.Join(texts, "\n\n")
	}
}

// openCodePermission reads what the user is asked for. The call that it is for is
// known by its id; the patterns are what the permission is about.
func openCodePermission(flat object, in object) {
	takeText(flat, "tool_name", in, "permission", "type")
	if flat["tool_name"] == nil {
		flat["tool_name"] = ""
	}
	flat["tool_input"] = object{}
	if meta := inner(in, "metadata"); meta != nil {
		flat["tool_input"] = meta
	}
	takeText(flat, "tool_use_id", inner(in, "tool"), "callID")
	takeText(flat, "reason", in, "title")
}

func openCodeError(flat object, in object) {
	failure := inner(in, "error")
	takeText(flat, "error", inner(failure, "data"), "message")
	if flat["error"] == nil {
		takeText(flat, "error", failure, "message", "name")
	}
}
