package adapter

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// Encode writes an outcome as Codex reads it: JSON of the words that the event
// has, and exit code 0.
func (Codex) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := codexAnswer{newAnswer(ev, out)}
	a.tellUser()
	switch a.event {
	case "PreToolUse":
		a.preToolUse()
	case "PermissionRequest":
		a.permissionRequest()
	case "PostToolUse":
		a.postToolUse()
	case "PreCompact":
		if out.Action == hook.ActionBlock {
			a.top["continue"], a.top["stopReason"] = false, a.reason()
		}
	case "UserPromptSubmit", "Stop", "SubagentStop":
		a.blocked()
	}
	if out.Inject != "" && codexAbout.Event(a.event).Can&Inject != 0 {
		a.nested["additionalContext"] = out.Inject
	}
	a.stop()
	return a.reply()
}

// codexAnswer is an answer in Codex's words.
type codexAnswer struct{ *answer }

func (a codexAnswer) blocked() {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.reason()
	}
}

func (a codexAnswer) deny(reason string) {
	a.nested["permissionDecision"], a.nested["permissionDecisionReason"] = "deny", reason
}

func (a codexAnswer) preToolUse() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
		return
	}
	input := a.changedInput(&codexAbout, a.ev)
	if input == nil {
		return
	}
	if nativeTool(a.ev) == patchTool {
		patch, ok := a.changedPatch(input)
		if !ok {
			a.deny(noPatch)
			return
		}
		input = patch
	}
	// Codex takes a changed input only with this word, which there is no approval:
	// the call goes on to whatever would ask the user. By itself it is an error.
	a.nested["permissionDecision"], a.nested["updatedInput"] = "allow", input
}

func (a codexAnswer) permissionRequest() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.nested["decision"] = object{"behavior": "allow"}
	case hook.ActionBlock:
		a.nested["decision"] = object{"behavior": "deny", "message": a.reason()}
	} // an ask needs no words: Codex is about to ask
}

// postToolUse: the reason of a block is what the model is given as the result.
// That is the only way in which a result can be changed.
func (a codexAnswer) postToolUse() {
	a.blocked()
	if text, ok := a.changedOutput(); ok && a.out.Action != hook.ActionBlock {
		if strings.TrimSpace(text) == "" {
			text = "(a hook removed the output)"
		}
		a.top["decision"], a.top["reason"] = "block", text
	}
}

// stop hands on that a hook written for Claude Code wants the turn to end, at the
// events at which Codex ends it.
func (a codexAnswer) stop() {
	if a.out.Metadata["claude.continue"] != false || a.out.Action == hook.ActionBlock {
		return
	}
	switch a.event {
	case "SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SubagentStop":
		a.top["continue"] = false
		if why, ok := a.out.Metadata["claude.stopReason"].(string); ok {
			a.top["stopReason"] = why
		}
	default:
		a.warn("Codex cannot end the turn at %s: continue was left out", a.event)
	}
}
