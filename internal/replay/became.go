package replay

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/transcript"
)

// Became says what an agent's own record tells of an event: no hook's decision, but what
// came of it. It is empty where hookway's record tells the decision.
type Became string

// What became of events.
const (
	Ran      Became = "ran"       // a call that has a result
	Refused  Became = "refused"   // by the agent's person, or interrupted
	Stopped  Became = "stopped"   // by a hook, or by the agent's own settings
	NotKnown Became = "not known" // a call without a result
	Happened Became = "happened"  // what is not a call: a prompt, a result
)

// Past counts what became of calls of which agents' own records tell.
type Past struct {
	Ran      int `json:"ran"`
	Refused  int `json:"refused"`
	Held     int `json:"refused_and_held_now"` // of Refused, what hooks block or ask about now
	Stopped  int `json:"stopped"`
	NotKnown int `json:"not_known"`
}

func (p *Past) add(o Past) {
	p.Ran, p.Refused, p.Held, p.Stopped, p.NotKnown = p.Ran+o.Ran, p.Refused+o.Refused, p.Held+o.Held, p.Stopped+o.Stopped, p.NotKnown+o.NotKnown
}

// All is how many calls there were.
func (p *Past) All() int { return p.Ran + p.Refused + p.Stopped + p.NotKnown }

// count counts what became of one event.
func (p *Past) count(b Became) {
	switch b {
	case Ran:
		p.Ran++
	case Refused:
		p.Refused++
	case Stopped:
		p.Stopped++
	case NotKnown:
		p.NotKnown++
	}
}

// refusals are how agents tell the model that a person said no.
var refusals = []string{
	"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now", interrupted,
	"rejected by user", "aborted by user", "[Operation Cancelled]", "User denied", "The user rejected", "user rejected this tool call",
}

// interrupted is what Claude Code writes where its person stopped a call.
const interrupted = "[Request interrupted by user"

// stops are how agents tell the model that a hook, or what they are set to, stopped a call.
var stops = []string{
	" hook error: ", "blocked by PreToolUse hook", "Tool execution blocked: ", "Denied by preToolUse hook", "Permission to use ",
	"requires approval", "denied by policy", "Permission denied and could not request permission from user",
	"hookway, which the user installed, ",
}

// mostReason is how much of a result is looked at for who stopped the call.
const mostReason = 300

// refused reports whether the result of a call of an agent says that a person refused it.
// Only Codex does not tell which calls failed: there, and with Claude Code,
// the text begins with it. What a call that succeeded prints is anybody's text.
func refused(agent string, e *transcript.Entry) bool {
	begins := func(w string) bool { return strings.HasPrefix(e.Text, w) }
	switch {
	case agent == "codex":
		return slices.ContainsFunc(codexRefusals, begins) || begins("exec_command failed for ") && says(e.Text, []string{`Rejected("rejected by user")`, `Rejected(\"rejected by user\")`})
	case agent == "claude":
		return e.Failed && slices.ContainsFunc(refusals, begins)
	}
	return e.Failed && says(e.Text, refusals)
}

// codexRefusals are how Codex begins the result of a call that its person refused.
var codexRefusals = []string{"rejected by user", "exec command rejected by user", "patch rejected by user", "aborted by user"}

func says(text string, words []string) bool {
	text = text[:min(len(text), mostReason)]
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// became is what the result of a call of an agent says.
func became(agent string, e *transcript.Entry) Became {
	switch {
	case refused(agent, e):
		return Refused
	case e.Failed && says(e.Text, stops):
		return Stopped
	}
	return Ran
}

// unsettled says why what became of a call says nothing of the hooks; "" if it does.
func (c *comparison) unsettled() string {
	stops := c.now.action == hook.ActionBlock || c.now.action == hook.ActionAsk
	switch c.s.moment.Was {
	case NotKnown:
		return "the agent's record does not say what became of the call"
	case Stopped:
		if !stops {
			return "a hook or the agent's own settings stopped the call then, and the agent's record does not say which"
		}
	}
	return ""
}

// sinceThen says how what hooks decide differs from what happened. Who refused a call is
// asked again by the agent itself, unless a hook answers in their place.
func (c *comparison) sinceThen() (kind Kind, by, what string) {
	now, was := c.now, c.s.moment.Was
	then := map[Became]string{Ran: "passed then: it ran; now: ", Happened: "passed then; now: "}[was]
	switch {
	case was == Refused && now.action == hook.ActionAllow:
		return Passed, now.source(), "then: a person refused or stopped it"
	case was == Refused || was == Stopped:
		return Same, "", ""
	case now.action == hook.ActionBlock:
		return Blocked, now.source(), then + c.out.Reason
	case now.action == hook.ActionAsk:
		return Asked, now.source(), then + c.out.Reason
	}
	for i := range now.hooks {
		switch s := &now.hooks[i]; {
		case slices.Contains(c.s.passed, s.hook):
		case s.changed:
			return Other, s.hook, then + "changes the event"
		case s.injected:
			return Other, s.hook, then + "adds a text"
		case s.would != "":
			return Other, s.hook, then + "on trial it would " + s.would
		case s.action != hook.ActionContinue.String() && s.action != hook.ActionAllow.String():
			return Other, s.hook, then + s.action
		}
	}
	return Same, "", ""
}
