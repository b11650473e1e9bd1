package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

// antigravityWait is how long Antigravity CLI waits for any hook.
const antigravityWait = 30 * time.Second

// antigravityAbout is Antigravity CLI by its documentation and its users'
// reports: its source is closed.
var antigravityAbout = About{
	Name: "antigravity", Agent: "antigravity", Title: "Antigravity CLI",
	Events: []Event{
		{Name: "PreInvocation", Kind: hook.GenerateStart.Info(), Can: Inject, Wait: antigravityWait,
			Note: "fired before each call of the model, not once a prompt, and without the prompt: so it is a GenerateStart, and nothing is an AgentStart"},
		{Name: "PostInvocation", Can: Inject, Wait: antigravityWait,
			Note: "fired after the tools that the model asked for; it carries no response, so it is none of hookway's events and keeps its name"},
		{Name: "PreToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow, Wait: antigravityWait,
			Note: "an answer without a decision denies, so no opinion is written as allow; a deny of invoke_subagent is reported not to hold"},
		{Name: "PostToolUse", Kind: hook.PostToolUse.Info(), Wait: antigravityWait,
			Note: "some versions tell neither the tool nor its result, only an error"},
		{Name: "Stop", Kind: hook.AgentStop.Info(), Can: GoOn, Unmarked: true, Wait: antigravityWait,
			Note: "it does not tell that it goes on because of a hook; hookway remembers it, and counts"},
	},
	Tools: []Tool{
		{Native: "run_command", Name: "Bash", Input: map[string]string{"CommandLine": "command"}},
		{Native: "view_file", Name: "Read", Input: map[string]string{"AbsolutePath": "file_path"}},
		{Native: "write_to_file", Name: "Write", Input: map[string]string{"TargetFile": "file_path", "CodeContent": "content"}},
		{Native: "replace_file_content", Name: "Edit", Input: map[string]string{"TargetFile": "file_path"}},
		{Native: "multi_replace_file_content", Name: "Edit", Input: map[string]string{"TargetFile": "file_path"}},
		{Native: "grep_search", Name: "Grep", Input: map[string]string{"Query": "pattern", "SearchPath": "path"}},
		{Native: "find_by_name", Name: "Glob", Input: map[string]string{"Pattern": "pattern", "SearchDirectory": "path"}},
		{Native: "read_url_content", Name: "WebFetch", Input: map[string]string{"Url": "url"}},
		{Native: "search_web", Name: "WebSearch", Input: map[string]string{"query": "query"}},
		{Native: "invoke_subagent", Name: "Agent"},
	},
	Blind: []string{
		"Hooks load only from ~/.gemini/config/hooks.json and .agents/hooks.json; those of plugins are counted and never run.",
		"Exit codes are ignored: a hook that crashes says nothing, which denies the call.",
		"With a hook on PreToolUse the agent's own question may be skipped, because a hook must say allow to let a call pass.",
		"There is no event for a prompt: guard the tools.",
		"It shows its user no message of a hook: of a folder that is not trusted it is told only without a terminal, on Linux, on its error output.",
		"None of this was seen live; the source is closed.",
	},
}
