package adapter

import (
	"cmp"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Encode writes an outcome as Copilot reads it: JSON and exit code 0. An exit
// code would deny too, but the model would not be told why.
func (c Copilot) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := copilotAnswer{newAnswer(ev, out), c}
	if out.UserMessage != "" {
		a.warn("Copilot CLI shows no message of a hook: the user does not see %q", out.UserMessage)
	}
	switch ev.Info() {
	case hook.PreToolUse.Info():
		a.preToolUse(ev)
	case hook.PermissionRequest.Info():
		a.permissionRequest()
	case hook.PostToolUse.Info():
		a.postToolUse(ev)
	case hook.AgentStart.Info():
		a.blocked()
		if prompt, ok := a.changedPrompt(); ok {
			a.top["modifiedPrompt"] = prompt
		}
		a.inject()
	case hook.AgentStop.Info(), hook.SubagentStop.Info():
		a.blocked()
	default:
		a.other(ev)
	}
	return a.reply()
}

// copilotAnswer is an answer in Copilot's words.
type copilotAnswer struct {
	*answer
	Copilot
}

// part is where the answer of a PreToolUse stands. The answers of all other
// events are flat under either casing, and nothing nested is read in them.
func (a copilotAnswer) part() object {
	if a.Pascal {
		return a.nested
	}
	return a.top
}

func (a copilotAnswer) reason() string { return cmp.Or(a.out.Reason, "a hook decided so") }

func (a copilotAnswer) inject() {
	if a.out.Inject != "" {
		a.top["additionalContext"] = a.out.Inject
	}
}

// blocked is a block where it is a plain one.
func (a copilotAnswer) blocked() {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.reason()
	}
}

func (a copilotAnswer) preToolUse(ev hook.AnyEvent) {
	part := a.part()
	word := map[hook.Action]string{hook.ActionAllow: "allow", hook.ActionAsk: "ask", hook.ActionBlock: "deny"}[a.out.Action]
	if word != "" {
		part["permissionDecision"], part["permissionDecisionReason"] = word, a.reason()
	}
	if input := a.changedInput(a.About(), ev); input != nil {
		if nativeTool(ev) == patchTool {
			patch, ok := a.changedPatch(input)
			if !ok {
				part["permissionDecision"], part["permissionDecisionReason"] = "deny", noPatch
				return
			}
			input = patch
		}
		name := "modifiedArgs"
		if a.Pascal {
			name = "updatedInput"
		}
		part[name] = input // replaces the whole input
	}
	if a.out.Inject != "" {
		part["additionalContext"] = a.out.Inject
	}
}

// permissionRequest answers flat under either casing: the request comes in
// camelCase always. No words, which is no opinion, lets Copilot do what it is
// configured to do: ask, or go on.
func (a copilotAnswer) permissionRequest() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.top["behavior"] = "allow"
	case hook.ActionBlock:
		a.top["behavior"], a.top["message"] = "deny", a.reason()
		if interrupt, ok := a.out.Metadata["claude.interrupt"].(bool); ok { // it means the same here
			a.top["interrupt"] = interrupt
		}
	}
}

// postToolUse changes what the model sees of a result. A block of it is the
// reason in its place: what a hook blocks may be a secret. (A PascalCase
// configuration knows decision:"block" too, but then drops the injected text.)
func (a copilotAnswer) postToolUse(ev hook.AnyEvent) {
	a.inject()
	blocked := a.out.Action == hook.ActionBlock
	text, changed := a.changedOutput()
	if blocked {
		text, changed = a.reason(), true
	}
	if !changed {
		return
	}
	kind := "failure"
	if before, ok := ev.Body().(hook.ToolResult); ok && !blocked {
		if kind, _ = before.ToolResponse.Extra["result_type"].(string); kind == "" {
			kind = "success"
		}
	}
	a.top["modifiedResult"] = object{"resultType": kind, "textResultForLlm": text}
}

// other encodes the events that take nothing but text.
func (a copilotAnswer) other(ev hook.AnyEvent) {
	if a.out.Inject == "" {
		return
	}
	if a.event != "userPromptTransformed" {
		a.inject()
		return
	}
	native, _ := ev.Head().Metadata[metaNative].(object)
	text, _ := pick[string](native, "transformedPrompt", "prompt")
	a.top["modifiedTransformedPrompt"] = visible.Join("\n\n", text, a.out.Inject)
}
