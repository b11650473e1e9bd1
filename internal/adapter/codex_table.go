package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

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
