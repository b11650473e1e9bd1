package wire

import (
	"fmt"

	"github.com/hookway/hookway/hook"
)

// openclaw reads {"block":true,"blockReason"}, {"params"}, {"cancel":true},
// {"content"} and {"systemPrompt","prependContext"}. Its params are laid over
// the tool's arguments one by one.
func openclaw(r *reply) error {
	switch {
	case r.is("block"):
		r.think(hook.ActionBlock, r.text("blockReason"))
	case r.is("cancel"):
		r.think(hook.ActionBlock, r.text("cancelReason"))
	}
	r.say(&r.inject, r.text("prependContext"))
	if raw := r.have["params"]; raw != nil {
		value := exact(raw)
		if err := r.editor.overlay("tool_input", value.(map[string]any)); err != nil {
			return fmt.Errorf("params: %w", err)
		}
	}
	if raw := r.have["content"]; raw != nil {
		return r.editor.replace("content", "content", raw)
	}
	return nil
}

// compilr reads {"skip":true,"result"}, {"input"}, {"messages","tools",
// "systemPrompt"}, {"result"} after a tool, and {"handled","error","recovery"}.
func compilr(r *reply) error {
	for _, f := range []struct{ name, field string }{
		{"input", "tool_input"}, {"messages", "messages"}, {"tools", "tools"}, {"systemPrompt", "system_prompt"}, {"error", "error"},
	} {
		if raw := r.have[f.name]; raw != nil {
			if err := r.editor.replace(f.name, f.field, raw); err != nil {
				return err
			}
		}
	}
	if r.have["action"] == nil && r.has("result") && !r.is("skip") && r.editor.declares("tool_response") {
		if err := r.editor.replace("result", "tool_response", r.have["result"]); err != nil {
			return err
		}
	}
	switch {
	case r.is("skip") && r.info.May.Answer: // do not run it
		r.stand("result")
	case r.is("skip"):
		r.think(hook.ActionSkip, r.text("reason"))
	case r.is("handled") || r.has("recovery"):
		r.stand("recovery")
	}
	return nil
}

// stand answers with the value under a name, or with none.
func (r *reply) stand(name string) {
	d := hook.Decision{Action: hook.ActionAnswer, Reason: r.text("reason")}
	if raw := r.have[name]; raw != nil {
		d.Result = exact(raw)
	}
	r.opinions = append(r.opinions, d)
}

// relay reads {"suppress":true} and {"stop":true}; its inject is ours.
func relay(r *reply) error {
	if r.is("suppress") {
		r.think(hook.ActionBlock, r.text("reason"))
	}
	if r.is("stop") {
		r.think(hook.ActionSkip, "")
	}
	return nil
}
