package adapter

import (
	"cmp"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Cursor speaks the hook protocol of Cursor: of the editor, and of its CLI.
//
// Cursor tells of one call twice: preToolUse, and then the event that is made
// for that kind of tool. Both are a PreToolUse here, of the same tool with the
// same input, so that they can be told to be one call; who calls the codec fires
// it once.
type Cursor struct{}

// About describes Cursor.
func (Cursor) About() *About { return &cursorAbout }

// Decode reads what Cursor writes to a hook's stdin.
func (Cursor) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&cursorAbout, c, "hook_event_name")
	if err != nil {
		return nil, err
	}
	tool, _ := native["tool_name"].(string)
	flat := flatten(&cursorAbout, name, native, func(flat object) { cursorFields(flat, name, native) })
	ev, err := build(&cursorAbout, name, native, flat, find)
	if err == nil && strings.HasPrefix(tool, cursorMCP) {
		ev.Head().Metadata[metaTool] = tool // the event is new, and only we have it
	}
	return ev, err
}

// cursorMCP begins the name of a tool of an MCP server.
const cursorMCP = "MCP:"

// cursorFields gives the fields of an event under our names.
func cursorFields(flat object, event string, native object) {
	takeText(flat, "session_id", native, "session_id", "conversation_id")
	takeText(flat, "transcript_path", native, "transcript_path", "agent_transcript_path")
	takeText(flat, "cwd", native, "cwd")
	if roots, ok := native["workspace_roots"].([]any); ok && len(roots) > 0 && (flat["cwd"] == nil || flat["cwd"] == "") {
		if root, ok := roots[0].(string); ok {
			flat["cwd"] = root
		}
	}
	for _, name := range []string{"prompt", "reason", "trigger", "tool_use_id"} {
		takeText(flat, name, native, name)
	}
	takeText(flat, "agent_id", native, "subagent_id", "child_conversation_id")
	takeText(flat, "agent_type", native, "subagent_type")
	takeText(flat, "last_message", native, "summary")
	takeText(flat, "response_text", native, "text")
	takeText(flat, "model_name", native, "model")
	takeText(flat, "error", native, "error_message")
	for ours, theirs := range map[string]string{"message_count": "message_count", "token_count": "context_tokens", "duration_ms": "duration_ms"} {
		if n, ok := whole(native[theirs]); ok {
			flat[ours] = n
		}
	}
	if status, ok := native["status"].(string); ok {
		flat["success"] = status == "completed"
		if status == "error" && flat["error"] == nil {
			flat["error"] = status
		}
	}
	if loops, ok := whole(native["loop_count"]); ok {
		flat["stop_hook_active"] = loops > 0
	}
	cursorTool(flat, event, native)
}

// cursorTool gives the call that an event is about. The content of a file that
// is about to be read stays in the native event: the call has none.
func cursorTool(flat object, event string, native object) {
	switch event {
	case "beforeShellExecution", "afterShellExecution":
		flat["tool_name"], flat["tool_input"] = "Shell", object{}
		take(flat["tool_input"].(object), "command", native, "command")
	case "beforeReadFile", "beforeTabFileRead":
		flat["tool_name"], flat["tool_input"] = "Read", object{}
		take(flat["tool_input"].(object), "file_path", native, "file_path")
	default:
		takeText(flat, "tool_name", native, "tool_name")
		take(flat, "tool_input", native, "tool_input")
	}
	if input, ok := flat["tool_input"]; ok {
		flat["tool_input"] = parsed(input)
	}
	if name, ok := flat["tool_name"].(string); ok {
		flat["tool_name"] = cursorToolName(event, name, native)
	}
	cursorResult(flat, event, native)
}

// cursorToolName names a tool of an MCP server as Claude Code does, if the
// server is known: preToolUse does not tell it, and MCP:search stays.
func cursorToolName(event, name string, native object) string {
	bare, isMCP := strings.CutPrefix(name, cursorMCP)
	if !isMCP && event != "beforeMCPExecution" && event != "afterMCPExecution" {
		return name
	}
	server, _ := native["mcp_server_name"].(string)
	if server == "" {
		return cursorMCP + bare
	}
	return mcpName(server, bare)
}

func cursorResult(flat object, event string, native object) {
	text, ok := pick[string](native, "tool_output", "output", "result_json")
	if !ok && event != "postToolUse" {
		return
	}
	response := object{"success": true, "output": text}
	if code, ok := whole(native["exit_code"]); ok {
		response["exit_code"], response["success"] = code, code == 0
	}
	if took, ok := whole(native["duration"]); ok {
		response["duration_ms"] = took
	}
	flat["tool_response"] = response
}

// Encode writes an outcome as Cursor reads it: JSON and exit code 0.
func (Cursor) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := cursorAnswer{newAnswer(ev, out)}
	switch a.event {
	case "preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart":
		a.permission(ev)
	case "beforeSubmitPrompt":
		if out.Action == hook.ActionBlock {
			a.top["continue"] = false
			a.toUser(out.Reason)
		} else {
			a.toUser("")
		}
	case "postToolUse":
		a.postToolUse()
	case "stop", "subagentStop":
		if out.Action == hook.ActionBlock {
			a.top["followup_message"] = cmp.Or(out.Reason, "Go on.")
		}
		a.unheard()
	case "sessionStart", "preCompact":
		a.toUser("")
	default:
		a.unheard()
	}
	if out.Inject != "" && a.event != "postToolUse" { // Fit let it through: there is a place for it
		a.top["additional_context"] = out.Inject
	}
	return a.reply()
}

// cursorAnswer is an answer in Cursor's words.
type cursorAnswer struct{ *answer }

// toUser shows the user what hooks have to say to them, and the reason of a
// refusal, for which Cursor has no place that the user sees.
func (a cursorAnswer) toUser(reason string) {
	if text := visible.Join("\n\n", a.out.UserMessage, reason); text != "" {
		a.top["user_message"] = text
	}
}

// unheard says that the user is not told.
func (a cursorAnswer) unheard() {
	if a.out.UserMessage != "" {
		a.warn("Cursor shows no message of a hook at %s: the user does not see %q", a.event, a.out.UserMessage)
	}
}

func (a cursorAnswer) permission(ev hook.AnyEvent) {
	reason := cmp.Or(a.out.Reason, "A hook decided so")
	switch a.out.Action {
	case hook.ActionAllow:
		a.top["permission"] = "allow"
		a.toUser("")
	case hook.ActionAsk, hook.ActionBlock:
		a.top["permission"] = map[hook.Action]string{hook.ActionAsk: "ask", hook.ActionBlock: "deny"}[a.out.Action]
		a.toUser(reason)
		if a.event != "beforeReadFile" && a.event != "beforeTabFileRead" {
			a.top["agent_message"] = reason
		}
	default:
		a.toUser("")
	}
	if input := a.changedInput(&cursorAbout, ev); input != nil {
		a.top["updated_input"] = input // the whole input
	}
}

// postToolUse tells the model of a block; what the tool gave stays, but for
// tools of an MCP server, whose output can be changed.
func (a cursorAnswer) postToolUse() {
	a.unheard()
	text := a.out.Inject
	if a.out.Action == hook.ActionBlock {
		text = visible.Join("\n\n", cmp.Or(a.out.Reason, "A hook blocked this result"), text)
	}
	if text != "" {
		a.top["additional_context"] = text
	}
	if output, changed := a.changedOutput(); changed {
		a.top["updated_mcp_tool_output"] = output
	}
}

// cursorWait is how long Cursor waits for any hook.
const cursorWait = time.Minute

// cursorAbout is Cursor by its SDK 1.0.32 and its users' reports.
var cursorAbout = About{
	Name: "cursor", Agent: "cursor", Title: "Cursor",
	Events: []Event{
		{Name: "sessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: cursorWait},
		{Name: "sessionEnd", Kind: hook.SessionEnd.Info(), Wait: cursorWait},
		{Name: "beforeSubmitPrompt", Kind: hook.AgentStart.Info(), Can: Block, Wait: cursorWait,
			Note: "not fired by cursor-agent -p; whether it takes injected text is disputed, so that is given at the next event"},
		{Name: "preToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Allow | ChangeInput | Inject, More: cursorAsks, Wait: cursorWait,
			Note: twice("the event that is made for the tool") + ". An ask is reported not to hold here: for shell and MCP tools the other event asks, for the rest it is a block"},
		{Name: "beforeShellExecution", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow, Wait: cursorWait, Note: twice("preToolUse")},
		{Name: "beforeMCPExecution", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow, Wait: cursorWait,
			Note: "comes beside preToolUse for the same call; only here the server is known, so hooks see both: first MCP:tool, then mcp__server__tool"},
		{Name: "beforeReadFile", Kind: hook.PreToolUse.Info(), Can: Block | Allow, Wait: cursorWait, Note: twice("preToolUse") +
			"; the file's content is in metadata.native only"},
		{Name: "beforeTabFileRead", Kind: hook.PreToolUse.Info(), Can: Block | Allow, Wait: cursorWait, Note: "a read for completions, not by the agent"},
		{Name: "postToolUse", Kind: hook.PostToolUse.Info(), Can: Block | Inject, More: cursorRewrites, Wait: cursorWait,
			Note: "a block tells the model the reason, and leaves the result; only an MCP tool's result can be changed"},
		{Name: "postToolUseFailure", Kind: hook.PostToolUseFailure.Info(), Can: Inject, Wait: cursorWait},
		{Name: "afterShellExecution", Kind: hook.PostToolUse.Info(), Wait: cursorWait, Note: twice("postToolUse")},
		{Name: "afterMCPExecution", Kind: hook.PostToolUse.Info(), Wait: cursorWait, Note: "comes beside postToolUse, with the server's name"},
		{Name: "afterFileEdit", Wait: cursorWait},
		{Name: "afterTabFileEdit", Wait: cursorWait},
		{Name: "afterAgentResponse", Kind: hook.GenerateEnd.Info(), Wait: cursorWait, Note: "the response is shown already"},
		{Name: "afterAgentThought", Wait: cursorWait},
		{Name: "stop", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: cursorWait,
			Note: "it stops after loop_limit blocks (5 if not set); comes after the user's own stop too, with the status aborted"},
		{Name: "subagentStart", Kind: hook.SubagentStart.Info(), Can: Block, Wait: cursorWait},
		{Name: "subagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn, Wait: cursorWait},
		{Name: "preCompact", Kind: hook.PreCompact.Info(), Wait: cursorWait},
		{Name: "workspaceOpen", Wait: cursorWait},
	},
	Tools: []Tool{
		{Native: "Shell", Name: "Bash"},
		{Native: "Read", Name: "Read", Input: cursorPath},
		{Native: "Write", Name: "Write", Input: cursorPath},
		{Native: "Delete", Name: "Delete", Input: cursorPath},
		{Native: "Grep", Name: "Grep"},
		{Native: "Fetch", Name: "WebFetch"},
		{Native: "Task", Name: "Agent"},
	},
	Blind: []string{
		"cursor-agent -p fires only sessionStart and the events of tools.",
		"An unknown event name, or a URL in a command, makes Cursor drop a whole hooks.json in silence.",
		"A hook that fails or times out lets the tool run, unless its entry has failClosed: true.",
		"None of this was seen live; it is read from Cursor's SDK and its documentation.",
	},
}

var cursorPath = map[string]string{"path": "file_path"}

// twice is the note of an event that tells of a call again.
func twice(other string) string {
	return "comes beside " + other + " for the same call; hooks see the two as one"
}

// cursorAsks: the event that follows preToolUse asks the user for these tools.
func cursorAsks(tool string) Can {
	if tool == "Bash" || isMCP(tool) {
		return Ask
	}
	return 0
}

func cursorRewrites(tool string) Can {
	if isMCP(tool) {
		return ChangeOutput
	}
	return 0
}

// isMCP reports whether a tool is one of an MCP server.
func isMCP(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(tool, cursorMCP)
}
