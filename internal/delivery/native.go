package delivery

import (
	"context"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Event is an event that an agent reports by its own hooks, and what its answer can
// have.
type Event struct {
	hook.AnyEvent        // in the session that hookway knows it by
	Agent         string // the program: claude, codex, …
	Own           string // the session's id in the agent's words
	Native        string // the event's name in the agent's words
	Raw           []byte // as it came; the same bytes are the same event
	Began         time.Time
	PID           int // of who asks

	// Name is what the user has named the agent. Session is what hookway run calls the
	// session, and State the folder in which run and the agent's hooks share it; both
	// are "" unless the agent is wrapped, and alone in its session.
	Name, Session, State string
	Inside               bool // of a wrapped session or of a hook: it is no agent of its own

	Injects bool // the answer can have text
	GoesOn  bool // the answer can make the agent go on
	Prompts bool // the agent reports prompts, in other events

	// Hooks are those of the agent's folder, for the messages of the agent of a name.
	Hooks func(name string, hops int) Hooks

	// Limit lets an agent stop that was made to go on too often.
	Limit func(*hook.Outcome[any])
}

// is reports whether the event is of one of these kinds.
func (e *Event) is(kinds ...*hook.EventInfo) bool {
	for _, k := range kinds {
		if e.Info() == k {
			return true
		}
	}
	return false
}

// Answer is the answer to one event, and the items that are in it: the channel of an
// agent's own hooks. What hookway run has left for an agent that it wraps is in its
// answers, and the messages for an agent that nobody wraps.
type Answer struct {
	native *Native
	event  Event
	run    *wrapped    // nil unless the agent is wrapped
	sub    *subscriber // nil unless messages reach the agent by its own hooks alone

	room    int           // bytes that its items may have
	claimed []Item        // that are in it
	again   []unconfirmed // messages that sub was given before, and has lost
	replied time.Time     // when it was made
}

var _ Channel = (*Answer)(nil)

// Arrive begins the answer to an event. It notes what the event says of the agent:
// that it works, that it rests, and that it has got what was in an answer before.
func (n *Native) Arrive(ctx context.Context, e Event) *Answer {
	a := &Answer{native: n, event: e}
	if a.run = a.join(); a.run == nil {
		a.subscribe(ctx)
	}
	return a
}

// AgentName is what the user calls the agent, if it is wrapped.
func (a *Answer) AgentName() string {
	if a.run == nil {
		return ""
	}
	return a.run.name
}

// Add puts items that wait into an answer, if the agent takes some at this event, which
// is given as its hooks were asked about it. From then on the items are claimed, until
// Sent says what became of the answer.
func (a *Answer) Add(ctx context.Context, ev hook.AnyEvent, out *hook.Outcome[any]) {
	a.event.AnyEvent = ev
	switch {
	case a.run != nil:
		a.run.reopen(a)
		a.addShared(out)
	case a.sub != nil:
		a.addMessages(ctx, out)
	}
}

// AddRepeated is Add for an event that was reported before.
func (a *Answer) AddRepeated(ctx context.Context, ev hook.AnyEvent, out *hook.Outcome[any]) {
	a.event.AnyEvent = ev
	if a.sub != nil && !a.event.is(hook.AgentStop.Info()) { // the first report may have been at an event that takes no text
		a.addMessages(ctx, out)
	}
}

// put puts texts into the outcome. It reports false if the agent must stop, and so gets
// none.
func (a *Answer) put(out *hook.Outcome[any], texts []string) bool {
	text := strings.Join(texts, "\n\n")
	goesOn := out.Action == hook.ActionBlock || out.Inject != "" && a.event.Injects
	if !a.event.is(hook.AgentStop.Info()) || goesOn {
		out.Inject = joined(out.Inject, text)
		return true
	}
	would := *out // it works on the texts
	would.Action, would.Reason, would.By = hook.ActionBlock, joined(out.Inject, text), "hookway"
	would.Inject = ""
	if a.event.Limit(&would); would.Action != hook.ActionBlock {
		return false
	}
	*out = would
	return true
}

// joined is a text behind another one, which may be the same.
func joined(before, text string) string {
	if before == "" || before == text {
		return text
	}
	return before + "\n\n" + text
}

// Sent has it noted what became of the items when the answer is sent. Nil: there are
// none.
func (a *Answer) Sent() func(Fate) {
	if !a.open() {
		return nil
	}
	a.replied = time.Now()
	return a.settle
}

// open reports whether it is to be noted what becomes of the answer.
func (a *Answer) open() bool {
	return len(a.claimed)+len(a.again) > 0 || a.run != nil && a.run.claim != nil
}

// Refused returns the items when there is no outcome: what answers is no answer of ours.
func (a *Answer) Refused() {
	if a.open() {
		a.settle(Returned)
	}
	if a.run != nil {
		a.run.rest(a)
	}
}

// Close ends the answer.
func (a *Answer) Close() {
	if a.sub != nil && a.event.is(hook.SessionEnd.Info()) {
		a.unsubscribe()
	}
}
