package adapter

import (
	"cmp"
	"strings"
	"time"

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

// Encode writes an outcome as hookway's plugin for OpenCode reads it.
func (OpenCode) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := newAnswer(ev, out)
	if out.UserMessage != "" {
		a.top["user_message"] = out.UserMessage // the plugin shows it as a toast
	}
	if out.Action == hook.ActionBlock {
		a.top["action"], a.top["reason"] = "block", cmp.Or(out.Reason, "A hook decided so")
	}
	if modified := openCodeModified(a, ev); len(modified) > 0 && out.Action != hook.ActionBlock {
		a.top["modified"] = modified
	}
	if ev.Info() == hook.PostToolUse.Info() {
		openCodeResult(a)
	}
	if out.Inject != "" {
		a.top["inject"] = out.Inject
	}
	return a.reply()
}

// openCodeModified gives the fields of output that hooks changed.
func openCodeModified(a *answer, ev hook.AnyEvent) object {
	modified := object{}
	if input := a.changedInput(&openCodeAbout, ev); input != nil {
		modified["args"] = input // the whole input
		if nativeTool(ev) == patchTool {
			patch, ok := a.changedPatch(input)
			if !ok {
				a.top["action"], a.top["reason"] = "block", noPatch
				return nil
			}
			modified["args"] = patch
		}
	}
	if prompt, ok := a.changedPrompt(); ok {
		modified["prompt"] = prompt // the plugin puts it in place of the texts among the parts
	}
	switch p := a.out.Payload.(type) {
	case hook.Generation:
		before, ok := ev.Body().(hook.Generation)
		switch {
		case !ok || !a.out.Changed:
		case p.SystemPrompt != before.SystemPrompt:
			modified["system"] = []any{p.SystemPrompt}
		default:
			a.warn("only the system prompt can be changed at %s: what hook %s changed is lost", a.event, lastChange(a.out))
		}
	case hook.GenerationResult:
		if a.out.Changed {
			modified["text"] = p.ResponseText
		}
	}
	return modified
}

// openCodeResult changes what the model sees of a tool's result. A block of it is
// the reason in its place, because the tool has run.
func openCodeResult(a *answer) {
	text, changed := a.changedOutput()
	if a.out.Action == hook.ActionBlock {
		delete(a.top, "action")
		delete(a.top, "reason")
		text, changed = cmp.Or(a.out.Reason, "A hook blocked this result"), true
	}
	if changed {
		a.top["modified"] = object{"output": text}
	}
}

// openCodeWait is how long hookway's plugin waits for any answer. It is its own
// deadline: OpenCode has none.
const openCodeWait = time.Minute

// openCodeAbout is OpenCode 1.18 with hookway's plugin.
var openCodeAbout = About{
	Name: "opencode", Agent: "opencode", Title: "OpenCode", Waits: openCodeWaits,
	Events: []Event{
		{Name: "chat.message", Kind: hook.AgentStart.Info(), Can: Block | ChangeInput | Inject, Wait: openCodeWait},
		{Name: "chat.params", Wait: openCodeWait, Note: "temperature and the like of a call of the model"},
		{Name: "chat.headers", Wait: openCodeWait},
		{Name: "command.execute.before", Can: Block | Inject, Wait: openCodeWait, Note: "a command of the user's, such as /init"},
		{Name: "tool.execute.before", Kind: hook.PreToolUse.Info(), Can: Block | ChangeInput, Wait: openCodeWait,
			Note: "fired before OpenCode asks for permission, which it then does whatever hooks say; a changed input also changes the history that the model sees"},
		{Name: "tool.execute.after", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: openCodeWait,
			Note: "a block replaces the result by its reason; injected text is put after the result"},
		{Name: "shell.env", Wait: openCodeWait},
		{Name: "tool.definition", Wait: openCodeWait, Note: "fired for each tool before each call of the model, so hookway does not listen to it"},
		{Name: "permission.ask", Wait: openCodeWait, Note: "declared by OpenCode and never fired"},
		{Name: "experimental.chat.messages.transform", Wait: openCodeWait},
		{Name: "experimental.chat.system.transform", Kind: hook.GenerateStart.Info(), Can: Block | ChangeInput | Inject, Wait: openCodeWait,
			Note: "only the system prompt can be changed; injected text is put after it"},
		{Name: "experimental.session.compacting", Kind: hook.PreCompact.Info(), Can: Inject, Wait: openCodeWait,
			Note: "injected text is context for the summary"},
		{Name: "experimental.compaction.autocontinue", Wait: openCodeWait},
		{Name: "experimental.text.complete", Kind: hook.GenerateEnd.Info(), Can: ChangeInput, Wait: openCodeWait},
		{Name: "config", Wait: openCodeWait},
		{Name: "dispose", Kind: hook.SessionEnd.Info(), Wait: openCodeWait, Note: "OpenCode ends; it may not wait"},
		{Name: "session.created", Kind: hook.SessionStart.Info(), Wait: openCodeWait},
		{Name: "session.idle", Kind: hook.AgentStop.Info(), Wait: openCodeWait, Note: "a stop cannot be refused"},
		{Name: "session.error", Kind: hook.Error.Info(), Wait: openCodeWait},
		{Name: "session.compacted", Kind: hook.PostCompact.Info(), Wait: openCodeWait},
		{Name: "permission.asked", Kind: hook.PermissionRequest.Info(), Wait: openCodeWait, Note: "only told: no hook can answer for the user"},
		{Name: "permission.replied", Wait: openCodeWait},
		{Name: "file.edited", Wait: openCodeWait},
	},
	Tools: []Tool{
		{Native: "bash", Name: "Bash"},
		{Native: "read", Name: "Read", Input: map[string]string{"filePath": "file_path"}},
		{Native: "write", Name: "Write", Input: map[string]string{"filePath": "file_path"}},
		{Native: "edit", Name: "Edit", Input: map[string]string{"filePath": "file_path", "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}},
		{Native: patchTool, Name: "Edit", Input: map[string]string{"patchText": "command"}}, // in place of edit and write, for GPT models
		{Native: "multiedit", Name: "MultiEdit", Input: map[string]string{"filePath": "file_path"}},
		{Native: "grep", Name: "Grep"},
		{Native: "glob", Name: "Glob"},
		{Native: "webfetch", Name: "WebFetch"},
		{Native: "task", Name: "Agent"},
		{Native: "todowrite", Name: "TodoWrite"},
	},
	Blind: []string{
		"OpenCode has no hooks that are commands: hookway's plugin runs the hook, and a plugin that does not load guards nothing.",
		"A user cannot be asked: an ask is a block.",
		"MCP tools are named server_tool, which is not told from a plain name.",
		"Calls of sub-agents are reported to be missed by plugins in some versions.",
	},
}
