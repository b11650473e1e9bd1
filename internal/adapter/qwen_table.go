package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

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
