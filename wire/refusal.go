package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// refusals are the names, as normal makes them, and the values of each with which
// an answer says no.
var refusals = map[string]func(json.RawMessage) bool{
	"action": isNo, "decision": isNo, "permissiondecision": isNo, "permission": isNo, "behavior": isNo,
	"block": isTrue, "cancel": isTrue, "suppress": isTrue, "continue": isFalse,
}

func isFalse(value json.RawMessage) bool { return string(value) == "false" }

func isTrue(value json.RawMessage) bool { return string(value) == "true" }

func isNo(value json.RawMessage) bool {
	if kind(value) != "a string" {
		return false
	}
	word := strings.ToLower(unquote(value))
	return word == "block" || word == "deny"
}

// reasons are the names, as normal makes them, under which an answer says why.
var reasons = []string{"reason", "blockreason", "cancelreason", "permissiondecisionreason", "message", "agentmessage", "stopreason"}

// refusal looks for a clear no in an object that could not be read as an answer,
// because of flaw. An answer that says no and has a mistake elsewhere still says no:
// strictness must never let pass what was refused. So names are compared without
// regard to case, '_' and '-', and of two values under one name either counts.
func refusal(info *hook.EventInfo, text []byte, flaw error) (hook.Decision, bool) {
	levels := levelsOf(text)
	if isStop(info) && slices.ContainsFunc(levels[0], func(m member) bool { return hook.Normal(m.name) == "continue" && isFalse(m.value) }) {
		return hook.Decision{}, false // there it lets the agent stop; see goOn
	}
	if !slices.ContainsFunc(levels, saysNo) {
		return hook.Decision{}, false
	}
	return hook.Block(strings.TrimSpace(fmt.Sprintf("%s (the rest of its answer could not be read: %v)", reasonIn(levels), flaw))), true
}

// levelsOf are the members of an answer, of its hookSpecificOutput and of the
// decision in either: where dialects say what is decided.
func levelsOf(text []byte) [][]member {
	levels := [][]member{members(text)}
	for depth, from := 0, 0; depth < 2; depth++ {
		upTo := len(levels)
		for _, level := range levels[from:upTo] {
			for _, m := range level {
				inner := hook.Normal(m.name) == "hookspecificoutput" || hook.Normal(m.name) == "decision"
				if inner && kind(m.value) == "an object" {
					levels = append(levels, members(m.value))
				}
			}
		}
		from = upTo
	}
	return levels
}

func saysNo(level []member) bool {
	return slices.ContainsFunc(level, func(m member) bool {
		no := refusals[hook.Normal(m.name)]
		return no != nil && no(m.value)
	})
}

// reasonIn finds the outermost reason that is a text.
func reasonIn(levels [][]member) string {
	for _, level := range levels {
		best, reason := len(reasons), ""
		for _, m := range level {
			at := slices.Index(reasons, hook.Normal(m.name))
			if at < 0 || at >= best || kind(m.value) != "a string" {
				continue
			}
			if text := unquote(m.value); text != "" {
				best, reason = at, text
			}
		}
		if reason != "" {
			return reason
		}
	}
	return ""
}
