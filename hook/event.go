package hook

import (
	"fmt"
	"time"
)

// Envelope says who fired an event, when and where. All of it may be empty;
// Fire fills in ID and Time.
type Envelope struct {
	ID         ID        // made by Fire when zero
	Time       time.Time // when it was fired; made by Fire when zero
	Session    string    // the agent's session
	Agent      string    // the agent's name
	Source     string    // where the event comes from: "claude", "run", "go", …
	CWD        string    // the agent's working directory; relative paths are resolved against it
	Transcript string    // file with the agent's transcript

	// Metadata travels with the event; decisions add to it. Handlers must not
	// edit it: they return what they want to add.
	Metadata map[string]any
}

// Event is one thing that an agent is about to do or has done. Handlers share it
// and must not edit it; a change is returned as Decision.Modified.
type Event[P any] struct {
	Envelope
	Payload P

	info *EventInfo
	memo memo
}

// AnyEvent is an Event of any payload type: what transports and the engine see.
// Only *Event[P] implements it.
type AnyEvent interface {
	// Info describes the kind of event.
	Info() *EventInfo
	// Head is the event's envelope, to be read only.
	Head() *Envelope
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
	start(info *EventInfo) AnyEvent
}

// Info describes the kind of event.
func (ev *Event[P]) Info() *EventInfo { return ev.info }

// Head is the event's envelope, to be read only.
func (ev *Event[P]) Head() *Envelope { return &ev.Envelope }

// Body is the payload.
func (ev *Event[P]) Body() any { return ev.Payload }

// Clone copies the event deeply.
func (ev *Event[P]) Clone() AnyEvent {
	out := &Event[P]{Envelope: ev.Envelope, Payload: Clone(ev.Payload), info: ev.info}
	out.Metadata = Clone(ev.Metadata)
	return out
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
	return &Event[P]{Envelope: ev.Envelope, Payload: p, info: ev.info}, nil
}

// sameKind is the event with another envelope: metadata that a hook added.
func (ev *Event[P]) sameKind(env Envelope) AnyEvent {
	return &Event[P]{Envelope: env, Payload: ev.Payload, info: ev.info}
}

// start is the event on its way into a firing, which fills in its envelope.
func (ev *Event[P]) start(info *EventInfo) AnyEvent {
	return &Event[P]{Envelope: ev.Envelope, Payload: ev.Payload, info: info}
}
