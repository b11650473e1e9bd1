package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

// geminiWait is how long Gemini CLI waits for any hook.
const geminiWait = time.Minute

// geminiAbout is Gemini CLI 0.61 as it was seen to behave.
var geminiAbout = About{
	Name: "gemini", Agent: "gemini", Title: "Gemini CLI", Repeats: true, Waits: geminiWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: geminiWait},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: geminiWait, Note: "comes twice when the terminal interface ends"},
		{Name: "BeforeAgent", Kind: hook.AgentStart.Info(), Can: Block | Inject, Wait: geminiWait},
		{Name: "BeforeModel", Kind: hook.GenerateStart.Info(), Can: Block | ChangeInput | Answer, Wait: geminiWait,
			Note: "the messages have texts only; the model and the messages can be changed, other settings cannot"},
		{Name: "BeforeToolSelection", Wait: geminiWait,
			Note: "comes beside BeforeModel; a hook may give a toolConfig as gemini.toolConfig in the metadata of its decision"},
		{Name: "AfterModel", Kind: hook.GenerateEnd.Info(), Can: Block | ChangeInput, Wait: geminiWait,
			Note: "comes for each piece of a response, with that piece only"},
		{Name: "BeforeTool", Kind: hook.PreToolUse.Info(), Can: Block | Ask | ChangeInput, HangsOnAsk: true, Wait: geminiWait,
			Note: "an ask hangs where no user can be asked (gemini -p), so there it is a block; calls have no id, and sub-agents' no mark"},
		{Name: "AfterTool", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: geminiWait,
			Note: "the reason of a block replaces the result, and so does a changed result; calls that failed come here too"},
		{Name: "AfterAgent", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: geminiWait,
			Note: "Gemini CLI itself has no limit to how often it goes on; hookway's counts"},
		{Name: "PreCompress", Kind: hook.PreCompact.Info(), Wait: geminiWait,
			Note: "comes before every call of the model, also if nothing is compressed"},
		{Name: "Notification", Kind: hook.Notification.Info(), Wait: geminiWait,
			Note: "of the type ToolPermission: the user is about to be asked; it cannot be answered"},
	},
	Tools: []Tool{
		{Native: "run_shell_command", Name: "Bash"},
		{Native: "read_file", Name: "Read"},
		{Native: "write_file", Name: "Write"},
		{Native: "replace", Name: "Edit"},
		{Native: "grep_search", Name: "Grep", Input: geminiFolder},
		{Native: "search_file_content", Name: "Grep", Input: geminiFolder},
		{Native: "glob", Name: "Glob", Input: geminiFolder},
		{Native: "list_directory", Name: "LS", Input: geminiFolder},
		{Native: "web_fetch", Name: "WebFetch"},
		{Native: "google_web_search", Name: "WebSearch"},
		{Native: "invoke_agent", Name: "Agent", Input: map[string]string{"agent_name": "subagent_type"}},
		{Native: "write_todos", Name: "TodoWrite"},
	},
	Blind: []string{
		"Calls by sub-agents carry no id of the sub-agent.",
		"A hook that times out lets the tool run; so does one that exits with code 1, or with 2 and nothing on stderr.",
		"Gemini CLI waits for everything that holds a hook's stdout, also beyond the hook's timeout.",
		"Whether anybody can be asked is found out on Linux only; elsewhere an ask is a block.",
	},
}

var geminiFolder = map[string]string{"dir_path": "path"}
