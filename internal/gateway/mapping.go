package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Defaults and bounds of a mapping.
const (
	DefaultMaxBody   = 256 << 10
	MostBody         = 4 << 20
	DefaultPerMinute = 60
	DefaultBurst     = 30
	DefaultTimeout   = 30 * time.Second

	maxContent = 256 << 10 // of a message, filled
	maxName    = 1024      // of a name, a thread and the like, filled
	maxPayload = 1 << 20   // of an event, filled
)

// Config is what may come in, by the names of the mappings.
type Config struct {
	Hosts []string // by which the gateway may be called, besides the listeners' own names
	Hooks map[string]*Mapping
}

// Mapping is what becomes of the requests to one name.
type Mapping struct {
	Name      string
	Auth      Auth
	MaxBody   int           // bytes
	PerMinute int           // requests
	Burst     int           // at once
	Timeout   time.Duration // of hooks
	KeyHeader string        // with Bearer: what tells a request sent again; "" is Idempotency-Key
	Match     Match

	Message *MessageTemplate // or
	Event   *EventTemplate   // or
	Channel string           // of approvals, whose answers the requests are
}

// MessageTemplate is a message to be filled.
type MessageTemplate struct {
	To, From, Text, Thread, ReplyTo, Priority *Template // nil: empty
	Metadata                                  map[string]any
}

// EventTemplate is an event to be filled.
type EventTemplate struct {
	Name           string // canonical
	CWD            string // whose hooks; "": the user's own
	Session, Agent *Template
	Payload        any // *Template, a value, or objects and lists of them
}

// Message is what a request has become.
type Message struct {
	ID, To, From, Text, Thread, ReplyTo, Priority string
	Metadata                                      map[string]any

	Claimed bool // From is what the request says, so it may be unknown here
}

// Event is what a request has become.
type Event struct {
	Name, CWD, Session, Agent, ID string
	Payload                       []byte // a JSON object
	Metadata                      map[string]any
}

// fill makes the message of a request.
func (t *MessageTemplate) fill(name string, in Input) (Message, error) {
	var m Message
	for _, f := range []struct {
		what string
		from *Template
		to   *string
		most int
	}{
		{"to", t.To, &m.To, maxName}, {"from", t.From, &m.From, maxName}, {"text", t.Text, &m.Text, maxContent},
		{"thread", t.Thread, &m.Thread, maxName}, {"reply_to", t.ReplyTo, &m.ReplyTo, maxName}, {"priority", t.Priority, &m.Priority, maxName},
	} {
		if f.from == nil {
			continue
		}
		var err error
		if *f.to, err = f.from.Text(in, f.most); err != nil {
			return m, fmt.Errorf("%s: %w", f.what, err)
		}
	}
	m.Claimed = t.From != nil && !t.From.constant()
	m.Metadata = map[string]any{}
	left := maxName * 16
	for _, key := range slices.Sorted(maps.Keys(t.Metadata)) {
		value, err := fill(t.Metadata[key], in, &left)
		if err != nil {
			return m, fmt.Errorf("metadata.%s: %w", key, err)
		}
		m.Metadata[key] = value
	}
	m.Metadata["gateway"] = name // last: it says what it is that a hook may rely on
	return m, nil
}

// fill makes the event of a request.
func (t *EventTemplate) fill(name string, in Input) (Event, error) {
	ev := Event{Name: t.Name, CWD: t.CWD, Metadata: map[string]any{"gateway": name}, Payload: []byte("{}")}
	var err error
	if t.Session != nil {
		if ev.Session, err = t.Session.Text(in, maxName); err != nil {
			return ev, fmt.Errorf("session: %w", err)
		}
	}
	if t.Agent != nil {
		if ev.Agent, err = t.Agent.Text(in, maxName); err != nil {
			return ev, fmt.Errorf("agent: %w", err)
		}
	}
	if t.Payload == nil {
		return ev, nil
	}
	left := maxPayload
	payload, err := fill(t.Payload, in, &left)
	if err != nil {
		return ev, fmt.Errorf("payload: %w", err)
	}
	if _, ok := payload.(map[string]any); !ok {
		return ev, errors.New("payload: the request has no JSON object where it is to come from")
	}
	if ev.Payload, err = json.Marshal(payload); err != nil {
		return ev, fmt.Errorf("payload: %w", err)
	}
	return ev, nil
}

// fill fills the templates in a value; left is how many bytes they may still come to.
func fill(value any, in Input, left *int) (any, error) {
	switch v := value.(type) {
	case *Template:
		filled, err := v.Value(in, *left)
		if err == nil {
			var text string
			text, err = asText(filled)
			*left -= len(text)
		}
		return filled, err
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			filled, err := fill(inner, in, left)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			out[key] = filled
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			filled, err := fill(inner, in, left)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			out[i] = filled
		}
		return out, nil
	}
	return value, nil
}
