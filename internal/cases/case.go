package cases

import (
	"encoding/json"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// Case is one test: an event, and what the hooks must make of it.
type Case struct {
	Name         string
	File         string
	Line, Column int             // where the case begins
	Event        *hook.EventInfo // what is fired

	event        hook.AnyEvent
	payload      json.RawMessage // as it is written, or read
	payloadFile  string          // where it was read, if it was
	session      string          // as the case itself says
	agent        string
	elsewhere    bool // the case says more about the event than its payload, session and agent
	expectations []expectation
}

// expectation is one key under expect.
type expectation struct {
	key          string
	line, column int
	check        check
}

// check compares; nil is fulfilled.
type check func(*seen) *mismatch

// mismatch is how an outcome differs from what is expected, line by line.
type mismatch struct {
	want, got []string
	note      string // when the lines alone do not say it
}

// seen is the outcome of a case in the form in which it is compared.
type seen struct {
	out    hook.Outcome[any]
	before any // payload as it was fired, as JSON has it
	after  any // and as it goes out
	result any
}

// see brings an outcome into JSON, which is how the payload goes out.
func see(fired hook.AnyEvent, out hook.Outcome[any]) (*seen, error) {
	before, _, err := form(hook.Outcome[any]{Verdict: hook.Verdict{Event: fired.Info().Name}, Payload: fired.Body()})
	if err != nil {
		return nil, err
	}
	after, result, err := form(out)
	if err != nil {
		return nil, err
	}
	return &seen{out: out, before: before, after: after, result: result}, nil
}

func form(out hook.Outcome[any]) (payload, result any, err error) {
	out.Metadata, out.Steps = nil, nil
	text, err := wire.EncodeOutcome(out)
	if err != nil {
		return nil, nil, err
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, nil, fmt.Errorf("the outcome of %s cannot be read back: %w", out.Event, err)
	}
	m, _ := v.(map[string]any)
	return m["payload"], m["result"], nil
}

// changed reports whether hooks changed the payload's values.
func (s *seen) changed() bool { return !equal(s.before, s.after) }
