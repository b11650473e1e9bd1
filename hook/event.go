package hook

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Envelope says who fired an event and where. Every field may be empty. One
// envelope may serve all events of a session, so it must not be edited after the
// first one was fired; to change it, make a copy.
//
//	env := &hook.Envelope{Session: "s-1", Agent: "claude", CWD: "/home/me/project"}
type Envelope struct {
	// Session identifies the agent's session. Counters and metadata that last
	// longer than one event are kept by it.
	Session string

	// Agent is the agent's name: "claude", or the name a user gave it.
	Agent string

	// Source names what reported the event: an agent with hooks of its own
	// ("claude"), "run" for a wrapped terminal, "go", "cli", "test".
	Source string

	// CWD is the agent's working directory, absolute. Relative paths in a tool's
	// arguments and in path patterns are resolved against it.
	CWD string

	// Transcript is the file in which the agent records its conversation.
	Transcript string

	// Metadata travels with the event, and decisions add to it. Handlers must
	// not edit it: they return what they want to add. Values should be what JSON
	// can hold, so that hooks in other processes see them too.
	Metadata map[string]any

	// Mark is the event's identity if it has one already, because it comes from
	// another process. With nil the engine makes one when it is first needed.
	Mark *Mark
}

// Subagent is the id of the sub-agent that the event comes from, as its agent
// gives it; "" means the agent itself, or a sub-agent without an id. It is read
// from the metadata: "agent_id", or "agent_id" in the agent's own fields.
func (env *Envelope) Subagent() string {
	id, ok := env.Metadata["agent_id"].(string)
	if native, _ := env.Metadata["native"].(map[string]any); !ok {
		id, _ = native["agent_id"].(string)
	}
	return id
}

// NativeTool is the agent's own name of the tool that the event is about, if that has
// another one here: several tools of an agent may have one name, as shell and
// container.exec of Codex are both Bash. Whoever binds an answer to a call must bind it to
// this name, too. "" is that it has none. It is read from the metadata, where the adapter
// of the agent puts it.
func (env *Envelope) NativeTool() string {
	name, _ := env.Metadata["native_tool"].(string)
	return name
}

// noEnvelope stands in where none is given.
var noEnvelope Envelope

// Mark identifies an event: which one it is, and when it was fired. The same mark
// in two processes means the same event, so that it is recorded once.
type Mark struct {
	ID   ID
	Time time.Time
}

// Event is one thing that an agent is about to do or has done. Handlers share it
// and must not edit it; a change is returned as Decision.Modified. Fire and
// Point.New make events.
//
// The payload is a struct of this package for hookway's own events, and a
// map[string]any for those that a configuration defines.
type Event[P any] struct {
	*Envelope
	Payload P

	info *EventInfo
	born time.Duration // when it was fired, since processStart
	mark atomic.Pointer[Mark]
	memo memo
	does *analysis
}

// AnyEvent is an Event of any payload type: what transports and the engine see.
// Only *Event[P] implements it.
type AnyEvent interface {
	// Info describes the kind of event.
	Info() *EventInfo
	// Head is the event's envelope, to be read only.
	Head() *Envelope
	// ID names this event. It stays the same when hooks change the payload.
	ID() ID
	// Time is when the event was fired.
	Time() time.Time
	// Body is the payload, a P. Making it may copy the payload's struct.
	Body() any
	// Clone copies the event deeply: the copy may be edited.
	Clone() AnyEvent
	// Facts are what the event's tool call would do. They are worked out when they are
	// first asked for, once for each payload; nil if the event is about no tool call or
	// the engine has no Analyse. They are shared: do not edit them.
	Facts() []Fact
	// Memo keeps the result of build for as long as the event lives, so that its
	// encoded form is made once however many handlers need it. An event has one
	// slot, which package wire owns. Safe for concurrent use.
	Memo(build func(AnyEvent) (any, error)) (any, error)

	pointer() any // *P: the payload without a copy, for matchers
	with(payload any) (AnyEvent, error)
	accepts(payload any) bool
	sameKind(env Envelope) AnyEvent
	start(ctx context.Context, e *Engine, info *EventInfo, born time.Duration) AnyEvent
	analysis() *analysis
}

// Info describes the kind of event.
func (ev *Event[P]) Info() *EventInfo { return ev.info }

// Head is the event's envelope, to be read only.
func (ev *Event[P]) Head() *Envelope { return ev.Envelope }

// ID names this event.
func (ev *Event[P]) ID() ID { return ev.identity().ID }

// Time is when the event was fired.
func (ev *Event[P]) Time() time.Time { return ev.identity().Time }

// identity makes the mark when it is first needed: most events never need one.
func (ev *Event[P]) identity() *Mark {
	if m := ev.mark.Load(); m != nil {
		return m
	}
	m := ev.Mark
	if m == nil || m.ID == (ID{}) || m.Time.IsZero() {
		m = newMark(m, ev.born)
	}
	ev.mark.CompareAndSwap(nil, m)
	return ev.mark.Load()
}

// Body is the payload.
func (ev *Event[P]) Body() any { return ev.Payload }

// Clone copies the event deeply.
func (ev *Event[P]) Clone() AnyEvent {
	env := *ev.Envelope
	env.Metadata = Clone(env.Metadata)
	out := ev.next(&env, Clone(ev.Payload))
	out.does = ev.does.again() // of the copy as it is when it is first asked
	return out
}

// Facts are what the event's tool call would do, see AnyEvent.
func (ev *Event[P]) Facts() []Fact { return ev.does.of(ev) }

// analysis finds what the call would do; nil where no engine has one.
func (ev *Event[P]) analysis() *analysis { return ev.does }

// Memo keeps the result of build for as long as the event lives.
func (ev *Event[P]) Memo(build func(AnyEvent) (any, error)) (any, error) {
	return ev.memo.get(func() (any, error) { return build(ev) })
}

// pointer gives the payload itself, for reading: hooks get copies.
func (ev *Event[P]) pointer() any { return &ev.Payload }

// accepts reports whether a payload has the event's type.
func (ev *Event[P]) accepts(payload any) bool {
	switch p := payload.(type) {
	case P:
		return true
	case *P:
		return p != nil
	}
	return false
}

// with makes the event that follows when a hook changed the payload.
func (ev *Event[P]) with(payload any) (AnyEvent, error) {
	p, ok := payload.(P)
	if !ok {
		ptr, isPtr := payload.(*P)
		if !isPtr || ptr == nil {
			return nil, fmt.Errorf("the changed payload of %s is a %T; it must be a %T", ev.info.Name, payload, ev.Payload)
		}
		p = *ptr
	}
	out := ev.next(ev.Envelope, p)
	out.does = ev.does.again()
	return out, nil
}

// sameKind is the event with another envelope: metadata that a hook added.
func (ev *Event[P]) sameKind(env Envelope) AnyEvent {
	out := ev.next(&env, ev.Payload)
	out.does = ev.does
	return out
}

// next is the same event with other contents.
func (ev *Event[P]) next(env *Envelope, payload P) *Event[P] {
	out := &Event[P]{Envelope: env, Payload: payload, info: ev.info, born: ev.born}
	out.mark.Store(ev.identity())
	return out
}

// start is the event on its way into a firing.
func (ev *Event[P]) start(ctx context.Context, e *Engine, info *EventInfo, born time.Duration) AnyEvent {
	out := &Event[P]{Envelope: ev.Envelope, Payload: ev.Payload, info: info, born: born}
	if out.does = e.analysis(ctx, out); out.does == nil {
		out.does = ev.does
	}
	out.mark.Store(ev.identity()) // so that the caller's ID is the one that hooks see
	return out
}
