// Package wire is the JSON form of events and decisions: what handlers outside
// the process read and what they may answer.
//
// # Events
//
// An event is one flat object on one line, a superset of what Claude Code gives
// its hooks, so that a script written for Claude Code runs under every agent:
//
//	{"hook_event_name":"PreToolUse","session_id":"…","transcript_path":"…","cwd":"…",
//	 "tool_name":"Bash","tool_input":{"command":"ls"},"event_id":"…","time":"…","agent":"…","source":"claude","metadata":{…}}
//
// The order of the names is always the same: hook_event_name; session_id,
// transcript_path and cwd, which are always there; the payload's fields; Claude
// Code's names for fields that are called differently here (see claudeNames);
// the fields of the agent's own event that have no place in the payload, sorted;
// event_id, time (RFC 3339 with nanoseconds), agent, source and metadata.
//
// A payload field wins over an envelope field of its name: the source of a
// SessionStart is how the session began. The metadata of a message is the
// sender's laid over the envelope's. What the envelope had under such a name
// is found under hookway_envelope, so that [DecodeEvent] gives back the same event.
//
// The agent's own event, as its adapter read it, is kept in the envelope's
// metadata under "native". Its fields are written at top level where we have
// none of that name, and native itself is then left out of metadata. In the
// other direction, a field that is unknown here is put into native.
//
// Numbers keep every digit: 18446744073709551615, 1e400, 1.0 and -0 come back as
// they were written. Strings that are not UTF-8 have U+FFFD in place of what is wrong.
//
// # Answers
//
// [DecodeDecision] reads every dialect in which the hooks of other systems
// answer. It is strict: an answer that is malformed, or whose action is unknown,
// is an error and never a continue. Names are compared exactly; a name that
// differs from a known one only by case, '_' or '-' is an error, too, because
// its author meant to decide something. So is a name that is a typing error
// away from one that can stop something (acton, desicion), and one that can stop something where it is not read, such as
// continue inside hookSpecificOutput. Other unknown names are ignored.
//
// Strictness never weakens a refusal: an object that clearly says no, in any
// dialect and wherever one says what is decided, is a block even if something
// else in it is wrong; its reason then says what could not be read. Where an
// agent stops, continue:false is not a no, and the flaw is the error that it is.
//
// One answer may speak several dialects at once. Then the strongest action wins:
// block, retry, answer, ask, allow, skip, continue. Among equals, and for texts,
// the order is: ours, A3S and acai; OpenClaw; compilr; agent-relay; Claude Code.
//
// What only Claude Code understands is kept in the decision's metadata under
// "claude." and the field's name, such as claude.suppressOutput or
// claude.initialUserMessage, for its adapter to hand on; see claudeOnly.
//
// # Limits
//
// A text of more than [MaxSize] bytes, or nested deeper than [MaxDepth], is an
// error. No input makes the package panic. All functions may be called from many
// goroutines at once.
package wire
