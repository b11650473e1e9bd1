package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

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
