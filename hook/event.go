package hook

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Envelope says who fired an event and where. All of it may be empty. One
// envelope may serve all events of a session: nobody edits it.
type Envelope struct {
	Session    string // the agent's session
	Agent      string // the agent's name
	Source     string // where the event comes from: "claude", "run", "go", …
	CWD        string // the agent's working directory; relative paths are resolved against it
	Transcript string // file with the agent's transcript

	// Metadata travels with the event; decisions add to it. Handlers must not
	// edit it: they return what they want to add.
	Metadata map[string]any

	// Mark is the event's identity if it has one already, because it comes from
	// another process. Nil makes one when it is first asked for.
	Mark *Mark
}

// Subagent is the id of the sub-agent that the event comes from, as its agent
// gives it; "" means the agent itself, or one that tells no id.
func (env *Envelope) Subagent() string {
	id, ok := env.Metadata["agent_id"].(string)
	if native, _ := env.Metadata["native"].(map[string]any); !ok {
		id, _ = native["agent_id"].(string)
	}
	return id
}

// noEnvelope stands in where none is given.
var noEnvelope Envelope

// Mark says which event this is, and when it was fired.
type Mark struct {
	ID   ID
	Time time.Time
}

// Event is one thing that an agent is about to do or has done. Handlers share it
// and must not edit it; a change is returned as Decision.Modified. Fire and
// Point.New make events.
type Event[P any] struct {
	*Envelope
	Payload P

	info *EventInfo
	born time.Duration // when it was fired, since processStart
	mark atomic.Pointer[Mark]
	memo memo
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
	// Clone copies the event deeply: what it gives may be edited.
	Clone() AnyEvent
	// Memo keeps what build gives for as long as the event lives, so that its
	// encoded form is made once however many handlers need it. There is one
	// slot an event; package wire owns it. Safe for concurrent use.
	Memo(build func(AnyEvent) (any, error)) (any, error)

	pointer() any // *P: the payload without a copy, for matchers
	with(payload any) (AnyEvent, error)
	accepts(payload any) bool
	sameKind(env Envelope) AnyEvent
	start(info *EventInfo, born time.Duration) AnyEvent
}

// Info describes the kind of event.
func (ev *Event[P]) Info() *EventInfo { return ev.info }

// Head is the event's envelope, to be read only.
func (ev *Event[P]) Head() *Envelope { return ev.Envelope }

// ID names this event.
func (ev *Event[P]) ID() ID { return ev.identity().ID }

// Time is when the event was fired.
func (ev *Event[P]) Time() time.Time { return ev.identity().Time }

// identity makes the mark when it is first asked for: most events come and go
// without anybody asking.
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
	return ev.next(&env, Clone(ev.Payload))
}

// Memo keeps what build gives for as long as the event lives.
func (ev *Event[P]) Memo(build func(AnyEvent) (any, error)) (any, error) {
	return ev.memo.get(func() (any, error) { return build(ev) })
}

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
	return ev.next(ev.Envelope, p), nil
}

// sameKind is the event with another envelope: metadata that a hook added.
func (ev *Event[P]) sameKind(env Envelope) AnyEvent {
	return ev.next(&env, ev.Payload)
}

// next is the same event with other contents.
func (ev *Event[P]) next(env *Envelope, payload P) *Event[P] {
	out := &Event[P]{Envelope: env, Payload: payload, info: ev.info, born: ev.born}
	out.mark.Store(ev.identity())
	return out
}

// start is the event on its way into a firing.
func (ev *Event[P]) start(info *EventInfo, born time.Duration) AnyEvent {
	out := &Event[P]{Envelope: ev.Envelope, Payload: ev.Payload, info: info, born: born}
	out.mark.Store(ev.identity()) // so that the caller's ID is the one that hooks see
	return out
}
