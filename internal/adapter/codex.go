package adapter

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Codex speaks Codex CLI's hook protocol, as version 0.169 reads it. It looks
// like Claude Code's, but an answer with one word too many is dropped whole, and
// then the tool runs.
type Codex struct{}

// About describes Codex CLI.
func (Codex) About() *About { return &codexAbout }

// Decode reads what Codex writes to a hook's stdin.
func (Codex) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&codexAbout, c, "hook_event_name")
	if err != nil {
		return nil, err
	}
	flat := withoutNulls(native)
	switch name {
	case "PreToolUse", "PermissionRequest", "PostToolUse":
		codexTool(flat)
	case "PreModelRequest", "PostModelRequest":
		codexModel(flat)
	case "Stop":
		flat["success"] = true
	}
	return build(&codexAbout, name, native, flat, find)
}

// withoutNulls is an object without the fields that say nothing.
func withoutNulls(native object) object {
	flat := maps.Clone(native)
	maps.DeleteFunc(flat, func(_ string, value any) bool { return value == nil })
	return flat
}

// codexTool tells which files a patch is about, and what became of a call.
func codexTool(flat object) {
	isPatch := tellPatch(flat)
	switch response := flat["tool_response"].(type) {
	case string:
		if code, ok := codexExitCode(response); ok && isPatch {
			flat["tool_response"] = object{"success": code == 0, "exit_code": code, "output": response}
		}
	case object:
		flat["tool_response"] = contentResponse(response)
	}
}

// codexExitCode reads the first line of a patch's result.
func codexExitCode(text string) (code int, ok bool) {
	digits, ok := strings.CutPrefix(text, "Exit code: ")
	digits, _, _ = strings.Cut(digits, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(digits))
	return code, ok && err == nil
}

// contentResponse is the result of an MCP tool with what can be read of it as
// its output.
func contentResponse(response object) object {
	parts, ok := response["content"].([]any)
	if !ok {
		return response
	}
	var texts []string
	for _, part := range parts {
		in, _ := part.(object)
		if text, ok := in["text"].(string); ok {
			texts = append(texts, text)
		}
	}
	response = maps.Clone(response)
	if _, taken := response["output"]; !taken {
		response["output"] = strings.Join(texts, "\n")
	}
	if _, taken := response["success"]; !taken {
		response["success"] = response["isError"] != true
	}
	return response
}

func codexModel(flat object) {
	takeText(flat, "model_name", flat, "model")
	usage, _ := flat["token_usage"].(object)
	if usage == nil {
		return
	}
	flat["usage"] = usageOf(usage, "input_tokens", "output_tokens", "total_tokens")
}

// usageOf counts tokens under our names. What is not a whole number counts nothing.
func usageOf(native object, prompt, completion, total string) object {
	usage := object{}
	for ours, theirs := range map[string]string{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total} {
		n, _ := whole(native[theirs])
		usage[ours] = json.Number(strconv.FormatInt(n, 10))
	}
	return usage
}

// Encode writes an outcome as Codex reads it: JSON of the words that the event
// has, and exit code 0.
func (Codex) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := codexAnswer{newAnswer(ev, out)}
	a.tellUser()
	switch a.event {
	case "PreToolUse":
		a.preToolUse()
	case "PermissionRequest":
		a.permissionRequest()
	case "PostToolUse":
		a.postToolUse()
	case "PreCompact":
		if out.Action == hook.ActionBlock {
			a.top["continue"], a.top["stopReason"] = false, a.reason()
		}
	case "UserPromptSubmit", "Stop", "SubagentStop":
		a.blocked()
	}
	if out.Inject != "" && codexAbout.Event(a.event).Can&Inject != 0 {
		a.nested["additionalContext"] = out.Inject
	}
	a.stop()
	return a.reply()
}

// codexAnswer is an answer in Codex's words.
type codexAnswer struct{ *answer }

func (a codexAnswer) deny(reason string) {
	a.nested["permissionDecision"], a.nested["permissionDecisionReason"] = "deny", reason
}

func (a codexAnswer) preToolUse() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
		return
	}
	input := a.changedInput(&codexAbout, a.ev)
	if input == nil {
		return
	}
	if nativeTool(a.ev) == patchTool {
		patch, ok := a.changedPatch(input)
		if !ok {
			a.deny(noPatch)
			return
		}
		input = patch
	}
	// Codex takes a changed input only with this word, which there is no approval:
	// the call goes on to whatever would ask the user. By itself it is an error.
	a.nested["permissionDecision"], a.nested["updatedInput"] = "allow", input
}

// postToolUse: the reason of a block is what the model is given as the result.
// That is the only way in which a result can be changed.
func (a codexAnswer) postToolUse() {
	a.blocked()
	if text, ok := a.changedOutput(); ok && a.out.Action != hook.ActionBlock {
		if strings.TrimSpace(text) == "" {
			text = "(a hook removed the output)"
		}
		a.top["decision"], a.top["reason"] = "block", text
	}
}

// stop hands on that a hook written for Claude Code wants the turn to end, at the
// events at which Codex ends it.
func (a codexAnswer) stop() {
	if a.out.Action != hook.ActionBlock {
		a.endTurn("Codex", "SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SubagentStop")
	}
}

// codexWait is how long Codex waits for most hooks.
const codexWait = 10 * time.Minute

// codexAbout is Codex CLI 0.169 as it was seen to behave.
var codexAbout = About{
	Name: "codex", Agent: "codex", Title: "Codex CLI", Waits: codexWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: codexWait},
		{Name: "UserPromptSubmit", Kind: hook.AgentStart.Info(), Can: Block | Inject, Wait: codexWait,
			Note: "some kinds of sub-agents fire it too, with an agent_id"},
		{Name: "PreModelRequest", Kind: hook.GenerateStart.Info(), Wait: codexWait, Note: "without the messages"},
		{Name: "PostModelRequest", Kind: hook.GenerateEnd.Info(), Wait: codexWait, Note: "without the response; it has the usage"},
		{Name: "PreToolUse", Kind: hook.PreToolUse.Info(), Can: Block | ChangeInput | Inject, Wait: codexWait,
			Note: "apply_patch is Edit here, with the patch as command, and the files it touches as file_path and file_paths"},
		{Name: "PermissionRequest", Kind: hook.PermissionRequest.Info(), Can: Block | Ask | Allow, Wait: codexWait,
			Note: "comes after PreToolUse, if Codex is about to ask the user; it has no id of the call"},
		{Name: "PostToolUse", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: codexWait,
			Note: "the reason of a block replaces the result, and so does a changed result; calls that failed come here too"},
		{Name: "PreCompact", Kind: hook.PreCompact.Info(), Can: Block, Wait: codexWait},
		{Name: "PostCompact", Kind: hook.PostCompact.Info(), Wait: codexWait},
		{Name: "SubagentStart", Kind: hook.SubagentStart.Info(), Can: Inject, Wait: codexWait},
		{Name: "SubagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn, Wait: codexWait},
		{Name: "Stop", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: codexWait,
			Note: "Codex itself has no limit to how often it goes on; hookway's counts"},
		{Name: "Interrupt", Wait: 3 * time.Second},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: 3 * time.Second},
	},
	Tools: []Tool{
		// Codex shows its shell tools as Bash already; these are the names that models see.
		{Native: "exec_command", Name: "Bash", Input: map[string]string{"cmd": "command"}},
		{Native: "shell", Name: "Bash"},
		{Native: "shell_command", Name: "Bash"},
		{Native: "local_shell", Name: "Bash"},
		{Native: "container.exec", Name: "Bash"},
		{Native: patchTool, Name: "Edit"},
		{Native: "spawn_agent", Name: "Agent", Input: map[string]string{"message": "prompt"}},
		{Native: "collaborationspawn_agent", Name: "Agent", Input: map[string]string{"message": "prompt", "task_name": "description"}},
	},
	Blind: []string{
		"What is typed into a shell that runs already (write_stdin) fires no hook: block interactive shells when they start.",
		"Files are read by shell commands only, so a guard of files has to look at Bash.",
		"web_search, view_image and the goal tools fire no hook.",
		"Hooks that are not trusted are skipped in silence; every change of a hook's command takes the trust away.",
		"A hook that fails or times out lets the tool run.",
	},
}
