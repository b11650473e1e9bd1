package wire

import "github.com/hookway/hookway/hook"

// nativeKey is where the envelope's metadata keeps the agent's own event.
const nativeKey = "native"

// shadowKey holds what the envelope has under names that the payload took.
const shadowKey = "hookway_envelope"

// alias is a payload field that Claude Code calls differently.
type alias struct{ ours, theirs string }

// claudeNames are the names that are written beside ours, and read where ours is
// missing. Claude Code's duration_ms of a PostToolUse stands beside the response;
// here it is a part of it.
func claudeNames(info *hook.EventInfo) []alias {
	switch info {
	case hook.AgentStop.Info(), hook.SubagentStop.Info():
		return []alias{{"last_message", "last_assistant_message"}}
	case hook.PostCompact.Info():
		return []alias{{"summary", "compact_summary"}}
	case hook.SessionStart.Info():
		return []alias{{"model_name", "model"}}
	case hook.PostToolUse.Info():
		return []alias{{"tool_response.duration_ms", "duration_ms"}}
	}
	return nil
}

// otherNames are read where ours is missing, and never written: those of A3S Box,
// and of other systems whose hooks run here. An event has those whose field it has.
var otherNames = []alias{
	{"tool_name", "tool"}, {"tool_name", "toolName"}, {"tool_input", "args"}, {"tool_input", "params"},
	{"tool_response", "result"}, {"cwd", "working_directory"},
}

// readNames are all other names that a field of an event may come under.
func readNames(info *hook.EventInfo) []alias { return append(claudeNames(info), otherNames...) }

// envelopeNames are the envelope's fields, in the order in which they are written.
var envelopeNames = []string{"session_id", "transcript_path", "cwd", "event_id", "time", "agent", "source", "metadata"}

// factsKey has the facts of a tool call. They are written and never read: what a call
// would do is found where it is judged.
const factsKey = "facts"

// reserved reports the names that no payload field can have on the wire.
func reserved(name string) bool { return name == "hook_event_name" || name == shadowKey }
