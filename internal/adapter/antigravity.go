package adapter

import (
	"cmp"
	"strconv"

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
