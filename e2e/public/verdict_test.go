//go:build unix

package public

import (
	"encoding/json"
	"slices"
	"strings"
)

type object = map[string]any

// verdict is what an agent takes from a hook.
type verdict struct {
	Decision string // allow, ask, deny, or "": no opinion. At an end, deny is to go on
	Reason   string
	Context  string // text for the model
	Input    object // the whole new input of a call
	Output   any    // what stands in for the result of a call
	System   string // text for the user
	Halt     bool   // the agent is to stop altogether
}

// refuses are the events at which exit code 2 means something to Claude Code.
var refuses = []string{"PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "TaskCompleted", "TaskCreated", "TeammateIdle", "ConfigChange"}

// speaks are the events at which plain text on stdout is for the model.
var speaks = []string{"SessionStart", "UserPromptSubmit"}

// asClaude reads what a hook leaves as Claude Code does.
func asClaude(event string, stdout, stderr []byte, code int) verdict {
	text := strings.TrimSpace(string(stdout))
	if strings.HasPrefix(text, "{") {
		var top object
		if json.Unmarshal([]byte(text), &top) == nil {
			v, ok := claudeJSON(event, top)
			if code == 2 && v.Decision == "" && slices.Contains(refuses, event) {
				v.Decision, v.Reason = "deny", strings.TrimSpace(string(stderr))
			}
			if ok || code == 2 {
				return v
			}
			return verdict{} // an answer with one mistake counts for nothing
		}
	}
	switch {
	case code == 2 && slices.Contains(refuses, event):
		return verdict{Decision: "deny", Reason: strings.TrimSpace(string(stderr))}
	case code == 0 && slices.Contains(speaks, event):
		return verdict{Context: text}
	}
	return verdict{}
}

// claudeJSON reads an answer; it reports false if Claude Code drops it.
func claudeJSON(event string, top object) (v verdict, ok bool) {
	if wrong(top, "decision", "approve", "block") {
		return verdict{}, false
	}
	v.System = text(top, "systemMessage")
	v.Halt = top["continue"] == false
	switch top["decision"] {
	case "approve":
		if event == "PreToolUse" || event == "PermissionRequest" { // elsewhere there is nothing to approve
			v.Decision = "allow"
		}
	case "block":
		v.Decision = "deny"
	}
	if v.Decision != "" {
		v.Reason = text(top, "reason")
	}
	nested, has := top["hookSpecificOutput"].(object)
	if !has {
		return v, true
	}
	if nested["hookEventName"] != event || wrong(nested, "permissionDecision", "allow", "deny", "ask", "defer") {
		return verdict{}, false
	}
	v.Context = text(nested, "additionalContext")
	switch event {
	case "PreToolUse":
		if word := text(nested, "permissionDecision"); word != "" {
			v.Decision, v.Reason = word, text(nested, "permissionDecisionReason")
		}
		v.Input, _ = nested["updatedInput"].(object)
	case "PermissionRequest":
		decision, _ := nested["decision"].(object)
		if word := text(decision, "behavior"); word != "" {
			v.Decision, v.Reason = word, text(decision, "message")
		}
	case "PostToolUse":
		v.Output = nested["updatedToolOutput"]
	}
	return v, true
}

// asCodex reads an answer as Codex does: what it does not know makes it drop all.
func asCodex(event string, stdout, stderr []byte, code int) verdict {
	trimmed := strings.TrimSpace(string(stdout))
	if code == 2 && slices.Contains(refuses, event) && len(stderr) > 0 {
		return verdict{Decision: "deny", Reason: strings.TrimSpace(string(stderr))}
	}
	if code != 0 || trimmed == "" {
		return verdict{}
	}
	var top object
	if json.Unmarshal([]byte(trimmed), &top) != nil {
		if slices.Contains(speaks, event) {
			return verdict{Context: trimmed}
		}
		return verdict{}
	}
	for key := range top {
		if !slices.Contains([]string{"continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"}, key) {
			return verdict{System: "Codex drops an answer with " + key}
		}
	}
	v, ok := claudeJSON(event, top)
	if !ok || v.Output != nil || v.Decision == "ask" || event == "PreToolUse" && v.Decision == "allow" && v.Input == nil {
		return verdict{System: "Codex drops this answer"}
	}
	if event == "PreCompact" && v.Halt { // its word for a block there
		v = verdict{Decision: "deny", Reason: text(top, "stopReason"), System: v.System}
	}
	if event == "PreToolUse" && v.Input != nil {
		if v.Decision != "allow" {
			return verdict{System: "Codex drops a changed input without allow"}
		}
		v.Decision, v.Reason = "", ""
	}
	return v
}

// asGemini reads an answer as Gemini CLI does.
func asGemini(event string, stdout, stderr []byte, code int) verdict {
	var top object
	if code != 0 || json.Unmarshal(stdout, &top) != nil {
		if code >= 2 && len(stderr) > 0 {
			return verdict{Decision: "deny", Reason: strings.TrimSpace(string(stderr))}
		}
		return verdict{}
	}
	v := verdict{System: text(top, "systemMessage"), Halt: top["continue"] == false}
	switch top["decision"] {
	case "deny", "block":
		v.Decision, v.Reason = "deny", text(top, "reason")
	case "ask":
		v.Decision, v.Reason = "ask", text(top, "reason")
	}
	nested, _ := top["hookSpecificOutput"].(object)
	v.Input, _ = nested["tool_input"].(object)
	v.Context = text(nested, "additionalContext")
	return v
}

// hears is how each agent reads an answer.
var hears = map[string]func(event string, stdout, stderr []byte, code int) verdict{
	"claude": asClaude, "codex": asCodex, "gemini": asGemini,
}

func text(o object, key string) string { s, _ := o[key].(string); return s }

// wrong reports a word that is none of these.
func wrong(o object, key string, words ...string) bool {
	value, has := o[key]
	word, _ := value.(string)
	return has && value != nil && !slices.Contains(words, word)
}
