package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hookway/hookway/hook"
)

// claude reads Claude Code's output, and its fields at top level as the agents
// have them that took over its words.
func claude(r *reply) error {
	r.say(&r.user, r.text("systemMessage"))
	r.keepAll(r.have, claudeOnly.top)
	for _, name := range []string{"decision", "permission", "behavior"} {
		if raw := r.have[name]; raw != nil {
			if err := r.permit(name, unquote(raw), r.text("reason")); err != nil {
				return err
			}
		}
	}
	if err := r.specific("", r.have); err != nil {
		return err
	}
	if raw := r.have["hookSpecificOutput"]; raw != nil {
		if err := r.output(raw); err != nil {
			return err
		}
	}
	r.goOn()
	return nil
}

// output reads hookSpecificOutput.
func (r *reply) output(raw json.RawMessage) error {
	const path = "hookSpecificOutput."
	out, err := pick(members(raw), outputKeysOf(r.info), path)
	if err != nil {
		return err
	}
	if name := out["hookEventName"]; name != nil && !r.info.IsCalled(unquote(name)) {
		return fmt.Errorf("%shookEventName: it is %s, but the event is %s", path, excerpt([]byte(unquote(name))), r.info.Name)
	}
	if err := r.specific(path, out); err != nil {
		return err
	}
	for _, name := range []string{"updatedToolOutput", "updatedMCPToolOutput"} {
		if text := out[name]; text != nil && !isNull(text) {
			if err := r.swap(path+name, "tool_response", text); err != nil {
				return err
			}
		}
	}
	if raw := out["decision"]; raw != nil {
		if err := r.behavior(path+"decision.", raw); err != nil {
			return err
		}
	}
	r.keepAll(out, claudeOnly.output)
	return nil
}

// specific reads the fields that may stand inside hookSpecificOutput or beside it.
func (r *reply) specific(path string, have map[string]json.RawMessage) error {
	if raw := have["permissionDecision"]; raw != nil {
		var reason string
		if why := have["permissionDecisionReason"]; why != nil {
			reason = unquote(why)
		}
		if err := r.permit(path+"permissionDecision", unquote(raw), reason); err != nil {
			return err
		}
	}
	if raw := have["additionalContext"]; raw != nil {
		r.say(&r.inject, unquote(raw))
	}
	names := []string{"updatedInput"}
	if path != "" {
		names = append(names, "tool_input") // Gemini CLI's name for it
	}
	for _, name := range names {
		if raw := have[name]; raw != nil {
			if err := r.newInput(path+name, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// newInput puts other arguments in place of the tool's. Where an event's input
// cannot change, an allow may have been meant for the new input only: it becomes
// an ask, and the input is kept for Claude Code.
func (r *reply) newInput(path string, raw json.RawMessage) error {
	if !r.editor.has("tool_input") {
		return fmt.Errorf("%s: a %s has no tool_input", path, r.info.Name)
	}
	if mayChange(r.info, "tool_input") {
		return r.editor.replace(path, "tool_input", raw)
	}
	value := exact(raw)
	r.keep("claude.updatedInput", value)
	r.otherInput = true
	return nil
}

func mayChange(info *hook.EventInfo, field string) bool {
	for _, f := range info.May.Change {
		if f == field || f == "*" {
			return true
		}
	}
	return false
}

// swap replaces a field that the payload must have.
func (r *reply) swap(path, field string, raw json.RawMessage) error {
	if !r.editor.has(field) {
		return fmt.Errorf("%s: a %s has no %s", path, r.info.Name, field)
	}
	return r.editor.replace(path, field, raw)
}

// permit reads the words for a permission. An approval of something that needs
// none is no opinion. Defer, which puts a call off until a person is there, is an ask.
func (r *reply) permit(path, word, reason string) error {
	switch strings.ToLower(word) {
	case "allow", "approve":
		if r.info.May.Allow {
			r.think(hook.ActionAllow, reason)
		}
	case "deny", "block":
		r.think(hook.ActionBlock, reason)
	case "ask":
		r.think(hook.ActionAsk, reason)
	case "defer":
		r.think(hook.ActionAsk, reason)
		r.keep("claude.permissionDecision", "defer")
	default:
		return fmt.Errorf("%s: unknown word %q; use %s", path, excerpt([]byte(word)), permitWords(path))
	}
	return nil
}

func permitWords(path string) string {
	switch {
	case path == "decision":
		return "block or approve"
	case strings.HasSuffix(path, "behavior"):
		return "allow or deny"
	}
	return "allow, deny or ask"
}

// behavior reads the decision about a permission request.
func (r *reply) behavior(path string, raw json.RawMessage) error {
	have, err := pick(members(raw), behaviorKeys, path)
	if err != nil {
		return err
	}
	if have["behavior"] == nil {
		return fmt.Errorf("%sbehavior: it is missing; use allow or deny", path)
	}
	var message string
	if text := have["message"]; text != nil {
		message = unquote(text)
	}
	if err := r.permit(path+"behavior", unquote(have["behavior"]), message); err != nil {
		return err
	}
	if input := have["updatedInput"]; input != nil {
		if err := r.newInput(path+"updatedInput", input); err != nil {
			return err
		}
	}
	r.keepAll(have, []string{"interrupt", "updatedPermissions"})
	return nil
}

// keepAll keeps fields for Claude Code's adapter.
func (r *reply) keepAll(have map[string]json.RawMessage, names []string) {
	for _, name := range names {
		if have[name] != nil {
			r.keep("claude."+name, exact(have[name]))
		}
	}
}

// goOn reads continue. False ends the agent's turn: it blocks what is about to
// happen. When the agent stops anyway it lets it, whatever else the answer says,
// because a block there means to go on. True says nothing.
func (r *reply) goOn() {
	if string(r.have["continue"]) != "false" {
		return
	}
	r.keep("claude.continue", false)
	reason := r.text("stopReason")
	if reason != "" {
		r.keep("claude.stopReason", reason)
	}
	if isStop(r.info) {
		r.opinions = nil
		return
	}
	r.think(hook.ActionBlock, reason)
}

// isStop reports whether an event is about an agent that stops.
func isStop(info *hook.EventInfo) bool {
	return info == hook.AgentStop.Info() || info == hook.SubagentStop.Info()
}
