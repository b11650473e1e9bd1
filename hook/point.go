package hook

import (
	"fmt"
	"strings"
)

// Point ties an event's name to the Go type of its payload. The points of all
// events that hookway knows are variables of this package; Define makes more.
//
// On and Fire take a point, so that the compiler checks the payload on both
// sides. It is a small value: pass it around by copying. The zero Point is not
// usable.
type Point[P any] struct{ info *EventInfo }

// Name is the event's canonical name.
func (p Point[P]) Name() string { return p.info.Name }

// Info describes the event.
func (p Point[P]) Info() *EventInfo { return p.info }

// New makes an event of this kind, for Engine.Fire and for tests of handlers.
func (p Point[P]) New(env Envelope, payload P) *Event[P] {
	return &Event[P]{Envelope: &env, Payload: payload, info: p.info}
}

// EventInfo describes one kind of event: its names and what hooks may decide.
// It is made by Define, Custom or Native and never changes. Engine.Define copies
// it, so compare events by Name, not by pointer.
type EventInfo struct {
	Name    string   // canonical
	Aliases []string // other names for it, as their systems write them
	May     May      // what a hook may decide

	// Gates marks events that are fired before an operation that a block
	// prevents. If hookway cannot reach a decision at all, these are refused
	// and the others go on.
	Gates bool

	change     bool     // an event about hooks: HookStarted and so on
	slot       int      // index into a table's chains, or -1
	self       []string // Name, for the hooks of On
	newPayload func() any
	newEvent   func(*EventInfo, Envelope, any) (AnyEvent, error)
}

// NewPayload returns a pointer to an empty payload, for decoders:
//
//	payload := info.NewPayload()
//	if err := json.Unmarshal(data, payload); err != nil { … }
//	ev, err := info.New(env, payload)
func (i *EventInfo) NewPayload() any { return i.newPayload() }

// IsCalled reports whether a name is one of the event's, compared as Lookup does.
func (i *EventInfo) IsCalled(name string) bool {
	key := Normal(name)
	for _, known := range append([]string{i.Name}, i.Aliases...) {
		if n := Normal(known); n == key || "on"+n == key {
			return true
		}
	}
	return false
}

// New makes an event of this kind. The payload is a value of the event's payload
// type or a pointer to one, which is copied; any other type is an error.
func (i *EventInfo) New(env Envelope, payload any) (AnyEvent, error) {
	return i.newEvent(i, env, payload)
}

// May says what the hooks of an event may decide. Continue and skip are always
// allowed: they do nothing to the operation. What a hook decides beyond it is
// dropped and recorded in its step.
type May struct {
	Change []string // payload fields, by wire name, that may be changed; "*" is all
	Allow  bool     // approve the operation without asking the user
	Ask    bool     // have the user confirm
	Block  bool     // stop the operation
	Retry  bool     // have it tried again
	Answer bool     // give its result in its place
	Inject bool     // give the agent text
}

// action reports whether hooks of the event may decide a.
func (m May) action(a Action) bool {
	switch a {
	case ActionAllow:
		return m.Allow
	case ActionAsk:
		return m.Ask
	case ActionBlock:
		return m.Block
	case ActionRetry:
		return m.Retry
	case ActionAnswer:
		return m.Answer
	}
	return true
}

// String lists what is allowed, as the documentation does.
func (m May) String() string {
	var words []string
	if len(m.Change) > 0 {
		words = append(words, "change "+strings.Join(m.Change, " and "))
	}
	for _, w := range []struct {
		on   bool
		word string
	}{{m.Allow, "allow"}, {m.Ask, "ask"}, {m.Block, "block"}, {m.Retry, "retry"}, {m.Answer, "answer"}, {m.Inject, "inject"}} {
		if w.on {
			words = append(words, w.word)
		}
	}
	if len(words) == 0 {
		return "observe"
	}
	return strings.Join(words, ", ")
}

// anything is what hooks of an event that users define may decide.
var anything = May{Change: []string{"*"}, Allow: true, Ask: true, Block: true, Retry: true, Answer: true, Inject: true}

// Define adds an event of your own to the whole process. Call it from a
// package-level variable:
//
//	type Release struct {
//		Version string `json:"version"`
//	}
//
//	var Released = hook.Define[Release]("Released", "deployed")
//
// Its hooks may decide anything. Fields need json tags: matchers and hooks in
// other processes use the wire names. Define panics if the name or an alias is
// taken.
func Define[P any](name string, aliases ...string) Point[P] {
	return define[P](name, anything, true, aliases...)
}

// define makes an event of hookway's own, or of a program, and puts it in the catalogue.
func define[P any](name string, may May, gates bool, aliases ...string) Point[P] {
	info := newInfo[P](name, may, gates, aliases)
	catalogue.add(info)
	return Point[P]{info}
}

// Custom describes an event that a configuration defines. It is known to the
// engines that it is given to with Engine.Define. Its payload is a
// map[string]any, and it gates an operation if its hooks may block.
func Custom(name string, may May, aliases ...string) *EventInfo {
	return newInfo[map[string]any](name, may, may.Block, aliases)
}

// Native describes an agent's own event that has no name here. Hooks reach it
// under its native name, with its raw payload; they may block it and inject.
func Native(name string) *EventInfo {
	return Custom(name, May{Block: true, Inject: true})
}

// newInfo makes an event's description. How to make a payload and an event of its type is
// kept in it, so that code without type parameters can make them too.
func newInfo[P any](name string, may May, gates bool, aliases []string) *EventInfo {
	return &EventInfo{
		Name: name, Aliases: aliases, May: may, Gates: gates, slot: -1, self: []string{name},
		newPayload: func() any { return new(P) },
		newEvent: func(info *EventInfo, env Envelope, payload any) (AnyEvent, error) {
			ev := &Event[P]{Envelope: &env, info: info}
			switch p := payload.(type) {
			case P:
				ev.Payload = p
				return ev, nil
			case *P:
				if p != nil {
					ev.Payload = *p
					return ev, nil
				}
			}
			return nil, fmt.Errorf("the payload of %s is a %T; it must be a %T, and not nil", name, payload, ev.Payload)
		},
	}
}
