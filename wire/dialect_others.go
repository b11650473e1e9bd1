package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// openclaw reads {"block":true,"blockReason"}, {"requireApproval":{"title"}}, {"params"},
// {"cancel":true}, {"content"}, {"systemPrompt","prependContext","appendContext"} and
// {"prependSystemContext","appendSystemContext"}. Its params are laid over the tool's
// arguments one by one.
func openclaw(r *reply) error {
	switch {
	case r.is("block"):
		r.think(hook.ActionBlock, r.text("blockReason"))
	case r.is("cancel"):
		r.think(hook.ActionBlock, r.text("cancelReason"))
	}
	if err := r.approval(); err != nil {
		return err
	}
	if err := r.systemContext(); err != nil {
		return err
	}
	r.say(&r.inject, r.text("prependContext"))
	r.say(&r.inject, r.text("appendContext"))
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

// approval reads requireApproval: the user is asked, with its words. What else it
// says is kept for who asks.
func (r *reply) approval() error {
	raw := r.have["requireApproval"]
	if raw == nil {
		return nil
	}
	var said struct{ Title, Description string }
	if err := json.Unmarshal(raw, &said); err != nil {
		return fmt.Errorf("requireApproval: its title and description must be texts: %w", err)
	}
	reason := strings.TrimSpace(said.Title)
	if more := strings.TrimSpace(said.Description); more != "" && more != reason {
		reason = strings.TrimPrefix(reason+": "+more, ": ")
	}
	r.think(hook.ActionAsk, reason)
	r.keep("openclaw.approval", exact(raw))
	return nil
}

// systemContext reads what goes before and behind the system prompt. Where that is not
// known, it becomes context for the agent.
func (r *reply) systemContext() error {
	before, after := r.text("prependSystemContext"), r.text("appendSystemContext")
	if before == "" && after == "" {
		return nil
	}
	var prompt string
	if raw := r.have["systemPrompt"]; raw != nil {
		prompt = unquote(raw)
	} else if now, err := r.editor.current("system_prompt"); err == nil {
		prompt, _ = now.(string)
	}
	if prompt == "" {
		r.say(&r.inject, before)
		r.say(&r.inject, after)
		return nil
	}
	text, err := json.Marshal(strings.Trim(before+"\n\n"+prompt+"\n\n"+after, "\n"))
	if err != nil {
		return err
	}
	if r.have["systemPrompt"] != nil { // which is put there behind us
		r.have["systemPrompt"] = text
		return nil
	}
	return r.editor.replace("prependSystemContext", "system_prompt", text)
}

// unheard says that an answer means nothing here, if it does not: who writes
// {"blocked":true} wants something, and would not learn that nobody hears it. That matters
// where something can be stopped. Programs of systems that pass over what they do not know
// may write what they like.
func (r *reply) unheard(list []member) error {
	strict := r.profile.Name == "" && !r.profile.PlainText && r.info.May.Block || r.profile.Name == hook.ProfileOpenClaw.Name
	for name := range r.have {
		strict = strict && slices.Contains(reasons, hook.Normal(name)) // which decide nothing
	}
	if !strict {
		return nil
	}
	var names []string
	unknown, elsewhere := 0, 0 // the second mean something at other events
	for _, m := range list {
		switch {
		case isNull(m.value):
			return nil
		case r.have[m.name] != nil:
			continue
		case meansElsewhere(m.name):
			elsewhere++
		}
		if unknown++; unknown <= 5 {
			names = append(names, excerpt([]byte(m.name)))
		}
	}
	said := strings.Join(names, ", ")
	switch unknown {
	case 0:
		return nil
	case elsewhere:
		r.note = fmt.Sprintf("%s means nothing at %s and is not carried out", said, r.info.Name)
		return nil
	}
	return fmt.Errorf("nothing of it is known at %s: %s; for no opinion answer {}", r.info.Name, said)
}

// meansElsewhere reports whether a name is one of an answer to some event.
func meansElsewhere(name string) bool {
	for _, more := range knownByField {
		if more[name] != "" {
			return true
		}
	}
	return false
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
