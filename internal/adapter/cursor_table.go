package adapter

import (
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

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
