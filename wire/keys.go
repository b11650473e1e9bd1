package wire

import (
	"maps"
	"sync"

	"github.com/hookway/hookway/hook"
)

// The types that a known name may have.
const (
	aString  = "a string"
	aBoolean = "a boolean"
	aNumber  = "a number"
	anObject = "an object"
	anArray  = "an array"
	anyValue = "any value"
)

// deciding are the names that say what is decided: a null there is no answer.
var deciding = []string{"action", "decision", "permissionDecision", "permission", "behavior"}

// loud are the names that may stop something. An answer that has one of them with a
// typing error meant to decide: that must not be read as no opinion.
var loud = append([]string{"block", "cancel", "continue", "suppress", "modified", "hookSpecificOutput", "requireApproval"}, deciding...)

// placeOf says where a name belongs that may stop something; "" for others. An
// answer that has one where it is not read is an error: it would be no opinion.
func placeOf(name string) string {
	for _, known := range loud {
		if hook.Normal(known) != hook.Normal(name) {
			continue
		}
		switch known {
		case "permissionDecision":
			return "as permissionDecision inside hookSpecificOutput or at the top of the answer"
		case "behavior":
			return "as behavior inside hookSpecificOutput.decision or at the top of the answer"
		}
		return "as " + known + " at the top of the answer"
	}
	return ""
}

// alwaysKnown are the names at the top of an answer to any event.
var alwaysKnown = map[string]string{
	// ours, and with the same names A3S
	"action": aString, "reason": aString, "user_message": aString, "modified": anObject, "result": anyValue,
	"retry_delay_ms": aNumber, "inject": aString, "metadata": anObject,
	// acai
	"modifications": anObject,
	// OpenClaw
	"block": aBoolean, "blockReason": aString, "cancel": aBoolean, "cancelReason": aString, "requireApproval": anObject,
	// compilr
	"skip": aBoolean,
	// agent-relay
	"suppress": aBoolean, "stop": aBoolean,
	// Claude Code, and the flat forms of agents that follow it
	"continue": aBoolean, "stopReason": aString, "suppressOutput": aBoolean, "systemMessage": aString,
	"terminalSequence": aString, "decision": aString, "hookSpecificOutput": anObject,
	"permissionDecision": aString, "permissionDecisionReason": aString, "updatedInput": anObject, "additionalContext": aString,
	"async": aBoolean, "asyncTimeout": aNumber,
	"permission": aString, "behavior": aString, "agent_message": aString, // Cursor and Copilot
}

// knownByField are the names that mean something where the payload has a field.
var knownByField = map[string]map[string]string{
	"tool_input":    {"params": anObject, "input": anObject},
	"content":       {"content": aString},
	"messages":      {"messages": anArray},
	"tools":         {"tools": anArray},
	"system_prompt": {"systemPrompt": aString, "prependContext": aString, "appendContext": aString, "prependSystemContext": aString, "appendSystemContext": aString},
	"prompt":        {"prependContext": aString, "appendContext": aString},
	"error":         {"handled": aBoolean, "recovery": anyValue, "error": aString},
}

// keysOf remembers the names for each payload type: reflect.Type → map[string]string.
var keysOf sync.Map

// keys are the names that this event's answers may have at the top.
func (r *reply) keys() map[string]string {
	if known, ok := keysOf.Load(r.editor.kind); ok {
		return known.(map[string]string)
	}
	keys := maps.Clone(alwaysKnown)
	for field, more := range knownByField {
		if r.editor.declares(field) {
			maps.Copy(keys, more)
		}
	}
	keysOf.Store(r.editor.kind, keys)
	return keys
}

// outputKeys are the names inside Claude Code's hookSpecificOutput.
var outputKeys = map[string]string{
	"hookEventName": aString, "permissionDecision": aString, "permissionDecisionReason": aString,
	"updatedInput": anObject, "tool_input": anObject, "additionalContext": aString,
	"updatedToolOutput": anyValue, "updatedMCPToolOutput": anyValue, "decision": anObject,
	"initialUserMessage": aString, "sessionTitle": aString, "suppressOriginalPrompt": aBoolean, "watchPaths": anArray,
	"reloadSkills": aBoolean, "classifierContext": anyValue, "retry": aBoolean, "displayContent": anyValue,
	"content": anyValue,
}

// elicitationKeys are those for the events in which Claude Code asks the user on
// behalf of an MCP server: there action is what the user would press.
var elicitationKeys = func() map[string]string {
	keys := maps.Clone(outputKeys)
	keys["action"] = aString
	return keys
}()

// outputKeysOf are the names inside hookSpecificOutput for an event.
func outputKeysOf(info *hook.EventInfo) map[string]string {
	if info.Name == "Elicitation" || info.Name == "ElicitationResult" {
		return elicitationKeys
	}
	return outputKeys
}

// behaviorKeys are the names inside its decision about a permission.
var behaviorKeys = map[string]string{
	"behavior": aString, "message": aString, "updatedInput": anObject, "updatedPermissions": anArray, "interrupt": aBoolean,
}

// claudeOnly are the fields of hookSpecificOutput, and then of the answer itself,
// that only Claude Code understands. They are kept in the decision's metadata
// under "claude." and their name. So are, where they say more than a Decision
// can: continue and stopReason, permissionDecision (for defer), updatedInput
// (for events whose input cannot change), and interrupt and updatedPermissions.
var claudeOnly = struct{ output, top []string }{
	output: []string{
		"initialUserMessage", "sessionTitle", "suppressOriginalPrompt", "watchPaths", "reloadSkills",
		"classifierContext", "retry", "displayContent", "action", "content",
	},
	top: []string{"suppressOutput", "terminalSequence"},
}
