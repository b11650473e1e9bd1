package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

// claudeAbout is Claude Code 2.1 as it was seen to behave.
var claudeAbout = About{
	Name: "claude", Agent: "claude", Title: "Claude Code", Waits: claudeWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "Setup", Can: Inject, Wait: 10 * time.Minute},
		{Name: "InstructionsLoaded", Wait: 10 * time.Minute},
		{Name: "UserPromptSubmit", Kind: hook.AgentStart.Info(), Can: Block | Inject, Wait: 30 * time.Second},
		{Name: "UserPromptExpansion", Can: Block | Inject, Wait: 10 * time.Minute},
		{Name: "PreToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow | ChangeInput | Inject, Wait: 10 * time.Minute,
			Note: "an ask is a refusal where no user can be asked (claude -p)"},
		{Name: "PermissionRequest", Kind: hook.PermissionRequest.Info(), Can: Block | Ask | Allow, Wait: 10 * time.Minute},
		{Name: "PermissionDenied", Kind: hook.PermissionDenied.Info(), Wait: 10 * time.Minute},
		{Name: "PostToolUse", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: 10 * time.Minute,
			Note: "a block keeps the result and tells the model the reason"},
		{Name: "PostToolUseFailure", Kind: hook.PostToolUseFailure.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "PostToolBatch", Can: Block | Inject, Wait: 10 * time.Minute, Note: "a block ends the turn"},
		{Name: "MessageDisplay", Aside: true, Wait: 10 * time.Minute},
		{Name: "Stop", Kind: hook.AgentStop.Info(), Can: GoOn | Inject, Wait: 10 * time.Minute,
			Note: "it stops after 8 blocks in a row, and begins to count anew whenever a tool ran"},
		{Name: "SubagentStart", Kind: hook.SubagentStart.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "SubagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn | Inject, Wait: 10 * time.Minute},
		{Name: "StopFailure", Wait: 10 * time.Minute},
		{Name: "PreCompact", Kind: hook.PreCompact.Info(), Can: Block | Inject, Wait: 10 * time.Minute,
			Note: "injected text is an instruction for the summary"},
		{Name: "PostCompact", Kind: hook.PostCompact.Info(), Wait: 10 * time.Minute},
		{Name: "PreModelSwitch", Can: Block, Wait: 10 * time.Minute},
		{Name: "PostModelSwitch", Can: Inject, Wait: 10 * time.Minute},
		{Name: "Notification", Kind: hook.Notification.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "TeammateIdle", Can: Block, Wait: 10 * time.Minute},
		{Name: "TaskCreated", Can: Block, Wait: 10 * time.Minute},
		{Name: "TaskCompleted", Can: Block, Wait: 10 * time.Minute},
		{Name: "Elicitation", Can: Block, Wait: 10 * time.Minute},
		{Name: "ElicitationResult", Can: Block, Wait: 10 * time.Minute},
		{Name: "ConfigChange", Can: Block, Wait: 10 * time.Minute},
		{Name: "CwdChanged", Aside: true, Wait: 10 * time.Minute},
		{Name: "FileChanged", Aside: true, Wait: 10 * time.Minute},
		{Name: "DirectoryAdded", Aside: true, Wait: 10 * time.Minute},
		{Name: "WorktreeCreate", Can: Block, Wait: 10 * time.Minute,
			Note: "its hook must make the worktree and print the path, so hookway is not installed there"},
		{Name: "WorktreeRemove", Wait: 10 * time.Minute},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: 1500 * time.Millisecond},
	},
	Blind: []string{
		"Files named with @ in a prompt are read without a PreToolUse.",
		"A shell command may write what a hook on Edit and Write guards; match Bash as well.",
		"An interrupted turn (Esc) fires no Stop.",
	},
}
