package adapter

import (
	"cmp"
	"strconv"
	"time"

	"github.com/hookway/hookway/hook"
)

// Antigravity speaks the hook protocol of Antigravity CLI (agy).
//
// It is the one agent for which silence is a no: an answer to PreToolUse that
// decides nothing denies the call, and so does an empty object. So there, and
// nowhere else, no opinion is written as an allow; see its preToolUse.
type Antigravity struct{}

// About describes Antigravity CLI.
func (Antigravity) About() *About { return &antigravityAbout }

// Decode reads what Antigravity writes to a hook's stdin. The payload does not
// say which event it is: the command line must.
func (Antigravity) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&antigravityAbout, c, "hookEventName")
	if err != nil {
		return nil, err
	}
	flat := flatten(&antigravityAbout, name, native, func(flat object) { antigravityFields(flat, name, native) })
	return build(&antigravityAbout, name, native, flat, find)
}

// antigravityFields gives the fields of an event under our names.
func antigravityFields(flat object, event string, native object) {
	takeText(flat, "session_id", native, "conversationId")
	takeText(flat, "transcript_path", native, "transcriptPath")
	takeText(flat, "cwd", native, "cwd")
	if paths, ok := native["workspacePaths"].([]any); ok && len(paths) > 0 && flat["cwd"] == nil {
		if path, ok := paths[0].(string); ok {
			flat["cwd"] = path
		}
	}
	takeText(flat, "model_name", native, "modelName")
	takeText(flat, "error", native, "error")
	call := inner(native, "toolCall")
	takeText(flat, "tool_name", call, "name")
	take(flat, "tool_input", call, "args")
	if input, ok := flat["tool_input"]; ok {
		flat["tool_input"] = parsed(input)
	}
	if step, ok := whole(native["stepIdx"]); ok { // calls have no other id
		flat["tool_use_id"] = "step-" + strconv.FormatInt(step, 10)
	}
	failure, _ := native["error"].(string)
	switch event {
	case "PostToolUse":
		flat["tool_response"] = object{"success": failure == "", "output": failure}
	case "Stop":
		reason, _ := native["terminationReason"].(string)
		flat["success"] = failure == "" && reason != "error"
	}
}

// Encode writes an outcome as Antigravity reads it. It does not look at exit
// codes at all.
func (Antigravity) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := newAnswer(ev, out)
	if out.UserMessage != "" {
		a.warn("Antigravity CLI shows no message of a hook: the user does not see %q", out.UserMessage)
	}
	switch a.event {
	case "PreToolUse":
		antigravityPreToolUse(a)
	case "Stop":
		if out.Action == hook.ActionBlock {
			a.top["decision"], a.top["reason"] = "continue", cmp.Or(out.Reason, "Go on.")
		}
	case "PreInvocation", "PostInvocation":
		if out.Inject != "" {
			a.top["injectSteps"] = []any{object{"ephemeralMessage": out.Inject}}
		}
	}
	return a.reply()
}

// antigravityPreToolUse always decides. No opinion is an allow here because the
// agent knows nothing weaker: {} would deny every call of every tool. What the
// user has to confirm by the agent's own rules is therefore not asked once a
// hook is installed; the table says so.
func antigravityPreToolUse(a *answer) {
	decision := "deny" // what is none of the following was to stop the call
	switch a.out.Action {
	case hook.ActionContinue, hook.ActionSkip, hook.ActionAllow:
		decision = "allow"
	case hook.ActionAsk:
		decision = "ask"
	}
	a.top["decision"] = decision
	if reason := a.out.Reason; reason != "" || decision == "deny" {
		a.top["reason"] = cmp.Or(reason, "A hook decided so")
	}
}

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
