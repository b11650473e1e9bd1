package adapter

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
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

// Encode writes an outcome as Copilot reads it: JSON and exit code 0. An exit
// code would deny too, but the model would not be told why.
func (c Copilot) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := copilotAnswer{newAnswer(ev, out), c}
	if out.UserMessage != "" {
		a.warn("Copilot CLI shows no message of a hook: the user does not see %q", out.UserMessage)
	}
	switch ev.Info() {
	case hook.PreToolUse.Info():
		a.preToolUse(ev)
	case hook.PermissionRequest.Info():
		a.permissionRequest()
	case hook.PostToolUse.Info():
		a.postToolUse(ev)
	case hook.AgentStart.Info():
		a.blocked()
		if prompt, ok := a.changedPrompt(); ok {
			a.top["modifiedPrompt"] = prompt
		}
		a.inject()
	case hook.AgentStop.Info(), hook.SubagentStop.Info():
		a.blocked()
	default:
		a.other(ev)
	}
	return a.reply()
}

// copilotAnswer is an answer in Copilot's words.
type copilotAnswer struct {
	*answer
	Copilot
}

// part is where the answer of a PreToolUse stands. The answers of all other
// events are flat under either casing, and nothing nested is read in them.
func (a copilotAnswer) part() object {
	if a.Pascal {
		return a.nested
	}
	return a.top
}

func (a copilotAnswer) reason() string { return cmp.Or(a.out.Reason, "a hook decided so") }

func (a copilotAnswer) inject() {
	if a.out.Inject != "" {
		a.top["additionalContext"] = a.out.Inject
	}
}

func (a copilotAnswer) preToolUse(ev hook.AnyEvent) {
	part := a.part()
	word := map[hook.Action]string{hook.ActionAllow: "allow", hook.ActionAsk: "ask", hook.ActionBlock: "deny"}[a.out.Action]
	if word != "" {
		part["permissionDecision"], part["permissionDecisionReason"] = word, a.reason()
	}
	if input := a.changedInput(a.About(), ev); input != nil {
		if nativeTool(ev) == patchTool {
			patch, ok := a.changedPatch(input)
			if !ok {
				part["permissionDecision"], part["permissionDecisionReason"] = "deny", noPatch
				return
			}
			input = patch
		}
		name := "modifiedArgs"
		if a.Pascal {
			name = "updatedInput"
		}
		part[name] = input // replaces the whole input
	}
	if a.out.Inject != "" {
		part["additionalContext"] = a.out.Inject
	}
}

// permissionRequest answers flat under either casing: the request comes in
// camelCase always. No words, which is no opinion, lets Copilot do what it is
// configured to do: ask, or go on.
func (a copilotAnswer) permissionRequest() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.top["behavior"] = "allow"
	case hook.ActionBlock:
		a.top["behavior"], a.top["message"] = "deny", a.reason()
		if interrupt, ok := a.out.Metadata["claude.interrupt"].(bool); ok { // it means the same here
			a.top["interrupt"] = interrupt
		}
	}
}

// postToolUse changes what the model sees of a result. A block of it is the
// reason in its place: what a hook blocks may be a secret. (A PascalCase
// configuration knows decision:"block" too, but then drops the injected text.)
func (a copilotAnswer) postToolUse(ev hook.AnyEvent) {
	a.inject()
	blocked := a.out.Action == hook.ActionBlock
	text, changed := a.changedOutput()
	if blocked {
		text, changed = a.reason(), true
	}
	if !changed {
		return
	}
	kind := "failure"
	if before, ok := ev.Body().(hook.ToolResult); ok && !blocked {
		if kind, _ = before.ToolResponse.Extra["result_type"].(string); kind == "" {
			kind = "success"
		}
	}
	a.top["modifiedResult"] = object{"resultType": kind, "textResultForLlm": text}
}

// other encodes the events that take nothing but text.
func (a copilotAnswer) other(ev hook.AnyEvent) {
	if a.out.Inject == "" {
		return
	}
	if a.event != "userPromptTransformed" {
		a.inject()
		return
	}
	native, _ := ev.Head().Metadata[metaNative].(object)
	text, _ := pick[string](native, "transformedPrompt", "prompt")
	a.top["modifiedTransformedPrompt"] = visible.Join("\n\n", text, a.out.Inject)
}

// copilotWait is how long Copilot CLI waits for any hook.
const copilotWait = 30 * time.Second

// copilotAbout is Copilot CLI 1.0.102 as it was seen to behave with a
// configuration in camelCase.
var copilotAbout = About{
	Name: "copilot", Agent: "copilot", Title: "Copilot CLI", Waits: copilotWaits,
	Events: []Event{
		{Name: "sessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: copilotWait,
			Note: "it may come after userPromptSubmitted: Copilot fires both at once"},
		{Name: "userPromptSubmitted", Kind: hook.AgentStart.Info(), Can: Block | ChangeInput | Inject, Wait: copilotWait,
			Note: "it comes again, with the reason as the prompt, when a stop was refused"},
		{Name: "userPromptTransformed", Can: Inject, Wait: copilotWait,
			Note: "the prompt as Copilot is about to send it; injected text is put after it"},
		{Name: "preToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow | ChangeInput | Inject, Wait: copilotWait,
			Note: "the call has no id; an ask is a refusal where no user can be asked (copilot -p)"},
		{Name: "preMcpToolCall", Wait: copilotWait,
			Note: "it comes beside preToolUse; what it answers to is not documented, so guard preToolUse"},
		{Name: "permissionRequest", Kind: hook.PermissionRequest.Info(), Can: Block | Allow, Wait: copilotWait,
			Note: "it comes even if all tools are allowed, where no opinion runs the tool: so an ask is a block; an allow of preToolUse skips it"},
		{Name: "postToolUse", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: copilotWait,
			Note: "a block replaces the result by its reason; more than 10 KB of injected text are cut"},
		{Name: "postToolUseFailure", Kind: hook.PostToolUseFailure.Info(), Can: Inject, Wait: copilotWait,
			Note: "a shell command that fails is a postToolUse"},
		{Name: "agentStop", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: copilotWait, Note: "it stops after 8 blocks in a row"},
		{Name: "subagentStart", Kind: hook.SubagentStart.Info(), Can: Inject, Wait: copilotWait},
		{Name: "subagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn, Wait: copilotWait},
		{Name: "preCompact", Kind: hook.PreCompact.Info(), Wait: copilotWait},
		{Name: "notification", Kind: hook.Notification.Info(), Can: Inject, Wait: copilotWait},
		{Name: "errorOccurred", Kind: hook.Error.Info(), Wait: copilotWait},
		{Name: "sessionEnd", Kind: hook.SessionEnd.Info(), Wait: copilotWait},
	},
	Tools: copilotTools,
	Blind: copilotBlind,
}

// copilotPascalAbout is the same with a configuration in PascalCase.
var copilotPascalAbout = About{
	Name: "copilot-pascal", Agent: "copilot", Title: "Copilot CLI (PascalCase)", Waits: copilotWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: copilotWait,
			Note: "it may come after UserPromptSubmit: Copilot fires both at once"},
		{Name: "UserPromptSubmit", Kind: hook.AgentStart.Info(), Can: Block | ChangeInput | Inject, Wait: copilotWait,
			Note: "it comes again, with the reason as the prompt, when a stop was refused"},
		{Name: "PreToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow | ChangeInput | Inject, Wait: copilotWait,
			Note: "the call has no id; an ask is a refusal where no user can be asked (copilot -p)"},
		{Name: "PermissionRequest", Kind: hook.PermissionRequest.Info(), Can: Block | Allow, Wait: copilotWait,
			Note: "it comes with the camelCase payload, and even if all tools are allowed: so an ask is a block"},
		{Name: "PostToolUse", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: copilotWait,
			Note: "a block replaces the result by its reason"},
		{Name: "PostToolUseFailure", Kind: hook.PostToolUseFailure.Info(), Can: Inject, Wait: copilotWait},
		{Name: "Stop", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: copilotWait, Note: "it stops after 8 blocks in a row"},
		{Name: "SubagentStart", Kind: hook.SubagentStart.Info(), Can: Inject, Wait: copilotWait},
		{Name: "SubagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn, Wait: copilotWait},
		{Name: "PreCompact", Kind: hook.PreCompact.Info(), Wait: copilotWait},
		{Name: "Notification", Kind: hook.Notification.Info(), Can: Inject, Wait: copilotWait},
		{Name: "ErrorOccurred", Kind: hook.Error.Info(), Wait: copilotWait},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: copilotWait},
	},
	Tools: copilotTools,
	Blind: append([]string{"There is no event for the prompt as it is sent (userPromptTransformed): use the configuration in camelCase."}, copilotBlind...),
}

// copilotTools are Copilot's tools. A PascalCase configuration gives those that
// Claude Code has under its names, with Copilot's arguments.
var copilotTools = []Tool{
	{Native: "bash", Name: "Bash"},
	{Native: "powershell", Name: "Bash"}, // the shell on Windows: what guards one must see the other
	{Native: "view", Name: "Read", Input: copilotPath},
	{Native: "create", Name: "Write", Input: copilotWrite},
	{Native: "edit", Name: "Edit", Input: copilotEdit},
	{Native: patchTool, Name: "Edit"}, // in place of edit and create, for GPT models
	{Native: "grep", Name: "Grep"},
	{Native: "glob", Name: "Glob"},
	{Native: "web_fetch", Name: "WebFetch"},
	{Native: "task", Name: "Agent"},
	{Native: "Read", Name: "Read", Input: copilotPath},
	{Native: "Write", Name: "Write", Input: copilotWrite},
	{Native: "Edit", Name: "Edit", Input: copilotEdit},
}

var (
	copilotPath  = map[string]string{"path": "file_path"}
	copilotWrite = map[string]string{"path": "file_path", "file_text": "content"}
	copilotEdit  = map[string]string{"path": "file_path", "old_str": "old_string", "new_str": "new_string"}
)

var copilotBlind = []string{
	"In copilot -p the hooks of a repository run only with GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true.",
	"Copilot CLI also runs the hooks in .claude/settings.json: with both installed, each call comes twice.",
	"A shell command may write what a hook on Edit and Write guards; match Bash as well.",
	"write_bash (on Windows write_powershell) types into a shell that runs already, and a rule on Bash does not see that text: match this tool as well.",
	"A hook that times out lets the tool run.",
}
