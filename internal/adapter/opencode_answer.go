package adapter

import (
	"cmp"

	"github.com/hookway/hookway/hook"
)

// Encode writes an outcome as hookway's plugin for OpenCode reads it.
func (OpenCode) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := newAnswer(ev, out)
	if out.UserMessage != "" {
		a.top["user_message"] = out.UserMessage // the plugin shows it as a toast
	}
	if out.Action == hook.ActionBlock {
		a.top["action"], a.top["reason"] = "block", cmp.Or(out.Reason, "A hook decided so")
	}
	if modified := openCodeModified(a, ev); len(modified) > 0 && out.Action != hook.ActionBlock {
		a.top["modified"] = modified
	}
	if ev.Info() == hook.PostToolUse.Info() {
		openCodeResult(a)
	}
	if out.Inject != "" {
		a.top["inject"] = out.Inject
	}
	return a.reply()
}

// openCodeModified gives the fields of output that hooks changed.
func openCodeModified(a *answer, ev hook.AnyEvent) object {
	modified := object{}
	if input := a.changedInput(&openCodeAbout, ev); input != nil {
		modified["args"] = input // the whole input
		if nativeTool(ev) == patchTool {
			patch, ok := a.changedPatch(input)
			if !ok {
				a.top["action"], a.top["reason"] = "block", noPatch
				return nil
			}
			modified["args"] = patch
		}
	}
	if prompt, ok := a.changedPrompt(); ok {
		modified["prompt"] = prompt // the plugin puts it in place of the texts among the parts
	}
	switch p := a.out.Payload.(type) {
	case hook.Generation:
		before, ok := ev.Body().(hook.Generation)
		switch {
		case !ok || !a.out.Changed:
		case p.SystemPrompt != before.SystemPrompt:
			modified["system"] = []any{p.SystemPrompt}
		default:
			a.warn("only the system prompt can be changed at %s: what hook %s changed is lost", a.event, lastChange(a.out))
		}
	case hook.GenerationResult:
		if a.out.Changed {
			modified["text"] = p.ResponseText
		}
	}
	return modified
}

// openCodeResult changes what the model sees of a tool's result. A block of it is
// the reason in its place, because the tool has run.
func openCodeResult(a *answer) {
	text, changed := a.changedOutput()
	if a.out.Action == hook.ActionBlock {
		delete(a.top, "action")
		delete(a.top, "reason")
		text, changed = cmp.Or(a.out.Reason, "A hook blocked this result"), true
	}
	if changed {
		a.top["modified"] = object{"output": text}
	}
}
