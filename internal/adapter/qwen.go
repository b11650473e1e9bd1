package adapter

import (
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Qwen speaks Qwen Code's hook protocol, as version 0.24 reads it. It looks like
// Claude Code's, but much of what it documents it does not do.
type Qwen struct{}

// About describes Qwen Code.
func (Qwen) About() *About { return &qwenAbout }

// Qwen Code fires the event of a prompt again, without one, whenever it sends
// results of tools to the model. That is not a start of anything.
const (
	qwenPrompt    = "UserPromptSubmit"
	qwenContinued = "UserPromptContinued"
)

// Decode reads what Qwen Code writes to a hook's stdin.
func (Qwen) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&qwenAbout, c, "hook_event_name")
	if err != nil {
		return nil, err
	}
	if prompt, ok := native["prompt"].(string); name == qwenPrompt && (prompt == "" && ok || native["prompt"] == nil) {
		name = qwenContinued
	}
	flat := withoutNulls(native)
	switch name {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied":
		// tool_use_id is another one before and after a call
		takeText(flat, "tool_use_id", native, "tool_call_id", "tool_use_id")
		if response, ok := native["tool_response"].(object); ok {
			flat["tool_response"] = llmContent(contentResponse(response))
		}
	case "Stop":
		flat["success"] = true
	}
	return build(&qwenAbout, name, native, flat, find)
}

// Encode writes an outcome as Qwen Code reads it: JSON and exit code 0.
func (Qwen) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := qwenAnswer{newAnswer(ev, out)}
	can := qwenAbout.Event(a.event).Can
	if a.event == qwenContinued {
		a.event = qwenPrompt
	}
	a.tellUser()
	switch a.event {
	case "PreToolUse":
		a.preToolUse()
	case "PermissionRequest":
		a.permissionRequest()
	case "PostToolUse":
		a.postToolUse()
	default:
		if out.Action == hook.ActionBlock {
			a.top["decision"], a.top["reason"] = "block", a.reason()
		}
	}
	if out.Inject != "" && can&Inject != 0 && a.top["stopReason"] == nil {
		a.nested["additionalContext"] = out.Inject
	}
	a.stop()
	return a.reply()
}

// qwenAnswer is an answer in Qwen Code's words.
type qwenAnswer struct{ *answer }

func (a qwenAnswer) preToolUse() {
	word := map[hook.Action]string{hook.ActionBlock: "deny", hook.ActionAsk: "ask"}[a.out.Action]
	if word != "" {
		a.nested["permissionDecision"], a.nested["permissionDecisionReason"] = word, a.reason()
	}
}

// postToolUse: what stands as the reason to stop is what the model is given as
// the result, and it goes on. There is no other way to change or block a result.
func (a qwenAnswer) postToolUse() {
	text, changed := a.changedOutput()
	switch {
	case a.out.Action == hook.ActionBlock:
		text = a.reason()
	case !changed:
		return
	case strings.TrimSpace(text) == "":
		text = "(a hook removed the output)"
	}
	a.top["continue"], a.top["stopReason"] = false, visible.Join("\n\n", text, a.out.Inject)
}

// stop tells that a hook written for Claude Code wanted the turn to end: Qwen
// Code takes the same word to mean something else.
func (a qwenAnswer) stop() {
	if a.out.Metadata["claude.continue"] == false {
		a.warn("Qwen Code does not end the turn at %s: continue was left out", a.event)
	}
}

// qwenWait is how long Qwen Code waits for a command.
const qwenWait = time.Minute

// qwenAbout is Qwen Code 0.24 as it was seen to behave. What it only documents is
// not relied on.
var qwenAbout = About{
	Name: "qwen", Agent: "qwen", Title: "Qwen Code", Waits: qwenWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: qwenWait},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: qwenWait, Note: "not fired by qwen -p"},
		{Name: "SessionDelete", Wait: qwenWait},
		{Name: "InstructionsLoaded", Wait: qwenWait},
		{Name: qwenPrompt, Kind: hook.AgentStart.Info(), Can: Block | Inject, Wait: qwenWait,
			Note: "it comes again without a prompt after results of tools: that is " + qwenContinued + " here"},
		{Name: "UserPromptExpansion", Can: Block | Inject, Wait: qwenWait, Note: "by its documentation; not seen"},
		{Name: "MessageDisplay", Aside: true, Wait: qwenWait},
		{Name: "PreToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Ask, Wait: qwenWait,
			Note: "an ask is a refusal where no user can be asked (qwen -p); a changed input is not applied, though it is documented"},
		{Name: "PermissionRequest", Kind: hook.PermissionRequest.Info(), Can: Block | Ask | Allow, Wait: qwenWait,
			Note: "comes before PreToolUse, if Qwen Code is about to ask the user"},
		{Name: "PermissionDenied", Kind: hook.PermissionDenied.Info(), Wait: qwenWait},
		{Name: "PostToolUse", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: qwenWait,
			Note: "the reason of a block replaces the result, and so does a changed result"},
		{Name: "PostToolUseFailure", Kind: hook.PostToolUseFailure.Info(), Wait: qwenWait},
		{Name: "PostToolBatch", Can: Inject, Wait: qwenWait},
		{Name: "Stop", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: qwenWait, Note: "it stops after 8 blocks in a row"},
		{Name: "StopFailure", Wait: qwenWait},
		{Name: "SubagentStart", Kind: hook.SubagentStart.Info(), Can: Inject, Wait: qwenWait},
		{Name: "SubagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn, Wait: qwenWait},
		{Name: "PreCompact", Kind: hook.PreCompact.Info(), Wait: qwenWait, Note: "whether it can be blocked is not known, so it is not relied on"},
		{Name: "PostCompact", Kind: hook.PostCompact.Info(), Wait: qwenWait},
		{Name: "Notification", Kind: hook.Notification.Info(), Wait: qwenWait},
		{Name: "TodoCreated", Wait: qwenWait},
		{Name: "TodoCompleted", Wait: qwenWait},
	},
	Derived: []Event{
		{Name: qwenContinued, Wait: qwenWait, Note: "a " + qwenPrompt + " without a prompt: results of tools go to the model"},
	},
	Tools: []Tool{
		{Native: "run_shell_command", Name: "Bash"},
		{Native: "read_file", Name: "Read"},
		{Native: "write_file", Name: "Write"},
		{Native: "edit", Name: "Edit"},
		{Native: "notebook_edit", Name: "NotebookEdit"},
		{Native: "grep_search", Name: "Grep"},
		{Native: "glob", Name: "Glob"},
		{Native: "list_directory", Name: "LS"},
		{Native: "web_fetch", Name: "WebFetch"},
		{Native: "agent", Name: "Agent"},
		{Native: "todo_write", Name: "TodoWrite"},
		{Native: "skill", Name: "Skill"},
		{Native: "exit_plan_mode", Name: "ExitPlanMode"},
		{Native: "ask_user_question", Name: "AskUserQuestion"},
	},
	Blind: []string{
		"qwen -p fires no SessionEnd.",
		"A changed input of a tool is a block, because Qwen Code does not apply it.",
		"A hook that fails or times out lets the tool run, and so does exit code 2 with nothing on stderr.",
	},
}
