package wire

import (
	"encoding/json"
	"slices"

	"github.com/hookway/hookway/hook"
)

// claudeTop are the names that Claude Code itself reads at the top of an answer.
var claudeTop = []string{
	"continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence", "decision", "reason", "hookSpecificOutput", "async", "asyncTimeout",
}

// imported is what an answer of a hook that was written for Claude Code comes to: it
// may refuse or ask in whatever words, but it approves, changes and tells only what
// Claude Code would hear. d is the answer as every dialect reads it.
func imported(ev hook.AnyEvent, text []byte, d hook.Decision, profile hook.Profile, warn func(string)) (hook.Decision, error) {
	list := members(text)
	accepted := acceptedByClaude(ev.Info(), list)
	refuses := d.Action == hook.ActionBlock || d.Action == hook.ActionAsk
	switch {
	case refuses && accepted:
		return d, nil
	case refuses: // stricter than Claude Code, which drops it for its form
		return hook.Decision{Action: d.Action, Reason: d.Reason, UserMessage: d.UserMessage}, nil
	case !accepted:
		return hook.Decision{Note: "Claude Code drops this answer: an object of its own names its event in hookEventName, and decides by approve or block, allow, deny or ask"}, nil
	case !slices.ContainsFunc(list, func(m member) bool { return !slices.Contains(claudeTop, m.name) }):
		return d, nil
	}
	own := map[string]json.RawMessage{}
	for _, m := range list {
		if slices.Contains(claudeTop, m.name) {
			own[m.name] = m.value
		}
	}
	rest, err := json.Marshal(own)
	if err != nil {
		return hook.Decision{}, err
	}
	return readDecision(ev, rest, profile, warn)
}

// acceptedByClaude reports whether Claude Code reads an answer at all: one that breaks its
// form in one place counts for nothing there.
func acceptedByClaude(info *hook.EventInfo, list []member) bool {
	for _, m := range list {
		switch m.name {
		case "decision":
			if !isNull(m.value) && !isWord(m.value, "approve", "block") {
				return false
			}
		case "hookSpecificOutput":
			if !isNull(m.value) && !acceptedOutput(info, members(m.value)) {
				return false
			}
		}
	}
	return true
}

// acceptedOutput is acceptedByClaude for hookSpecificOutput.
func acceptedOutput(info *hook.EventInfo, list []member) bool {
	named := false
	for _, m := range list {
		switch m.name {
		case "hookEventName":
			named = kind(m.value) == aString && info.IsCalled(unquote(m.value))
		case "permissionDecision": // of a call, or of another model
			if !isNull(m.value) && (!isWord(m.value, "allow", "deny", "ask", "defer") || info != hook.PreToolUse.Info() && info.Name != "PreModelSwitch") {
				return false
			}
		}
	}
	return named
}

func isWord(value json.RawMessage, words ...string) bool {
	return kind(value) == aString && slices.Contains(words, unquote(value))
}
