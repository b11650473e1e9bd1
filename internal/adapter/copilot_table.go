package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

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
