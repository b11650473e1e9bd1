package call

import (
	"strings"
	"unicode/utf8"
)

// maxReason bounds the reason of a refusal, in bytes.
const maxReason = 4 << 10

// Refuse is the answer to an agent when hookway itself failed. Unless the policy
// is to continue, it stops what the event gates: a tool, a permission, a prompt.
// The rest passes without a word. An unknown event may gate something,
// so it is stopped in the one way that is heard everywhere. Of an agent that is not
// knows, an event passes that gates nothing under any other: to refuse its Stop
// would make it go on for ever. If event is "", the payload says it.
func Refuse(agent, event string, stdin []byte, policy, reason string) Reply {
	if event == "" {
		event = EventName(stdin)
	}
	if policy == PolicyContinue {
		return NoOpinion(agent, event)
	}
	reason = plain(reason)
	d := dialectOf(agent)
	if d == nil {
		if passesEverywhere(event) {
			return NoOpinion(agent, event)
		}
		return everywhere(event, reason)
	}
	c := d.class(event)
	if c == passes {
		return NoOpinion(agent, event)
	}
	return d.no(c, event, reason)
}

// NoOpinion lets an event pass as if there were no hook. It approves nothing,
// except where an agent takes silence for a no.
func NoOpinion(agent, event string) Reply {
	d := dialectOf(agent)
	if d == nil || d.yes == nil {
		return answer("{}")
	}
	return answer(d.yes(d.class(event)))
}

// Gates reports whether Refuse stops the event: it gates something, or it is not
// knows it.
func Gates(agent, event string) bool {
	d := dialectOf(agent)
	if d == nil {
		return !passesEverywhere(event)
	}
	return d.class(event) != passes
}

// Holds reports whether a call may be held for a person at an event: before a tool runs,
// and in place of asking the user.
func Holds(agent, event string) bool {
	d := dialectOf(agent)
	if d == nil {
		return false
	}
	c := d.class(event)
	return c == tool || c == permission
}

// passesEverywhere reports whether the event passes under an agent that we know,
// and gates nothing under any.
func passesEverywhere(event string) bool {
	known := false
	for i := range dialects {
		switch dialects[i].class(event) {
		case passes:
			known = true
		case unknown:
		default:
			return false
		}
	}
	return known
}

func (d *dialect) class(event string) class {
	if event == "" || strings.Contains(event, " ") {
		return unknown
	}
	name := " " + event + " "
	switch {
	case strings.Contains(d.passes, name):
		return passes
	case strings.Contains(d.tool, name):
		return tool
	case strings.Contains(d.permission, name):
		return permission
	case strings.Contains(d.prompt, name):
		return prompt
	case strings.Contains(d.worktree, name):
		return worktree
	}
	return unknown
}

// plain makes a reason one line of valid text that is not empty: some agents
// drop a refusal without a reason.
func plain(reason string) string {
	reason = strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r >= 0x80 && r < 0xa0:
			return ' '
		}
		return r
	}, strings.ToValidUTF8(reason, "\uFFFD"))
	if reason = strings.TrimSpace(reason); reason == "" {
		return "hookway could not decide; run hookway doctor"
	}
	if len(reason) <= maxReason {
		return reason
	}
	cut := maxReason
	for !utf8.RuneStart(reason[cut]) {
		cut--
	}
	return reason[:cut] + "…"
}

// quote writes a text as JSON.
func quote(s string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s { // what is not UTF-8 becomes U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029':
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(append(b, '"'))
}
