package audit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hookway/hookway/hook"
)

// toldBounds are those of an event that others are told of.
var toldBounds = bounds{text: 64 << 10, total: 512 << 10, items: 1000, depth: 32}

// toldOutcome is what a record has of an outcome.
type toldOutcome struct {
	Action      string         `json:"action"`
	Reason      string         `json:"reason,omitempty"`
	By          string         `json:"by,omitempty"`
	UserMessage string         `json:"user_message,omitempty"`
	Inject      string         `json:"inject,omitempty"`
	Result      any            `json:"result,omitempty"`
	Ran         string         `json:"ran,omitempty"`
	Steps       []Step         `json:"steps,omitempty"`
	Changes     []Change       `json:"changes,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Cut         []string       `json:"cut,omitempty"`
}

// Told is an event as services outside are told of it: body, which is its JSON, with
// its secrets hidden as in a record, and with the outcome as a record has it. A field
// of its own by that name is own_outcome. hide are names as in Record.Hide.
func Told(body []byte, ev hook.AnyEvent, came *hook.Settled, hide []string) ([]byte, error) {
	var event map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&event); err != nil {
		return nil, fmt.Errorf("the event is not a JSON object: %w", err)
	}
	redact := newRedactor(hide)
	var cut []string
	f := finisher{redactor: redact, rec: new(Record)}
	told := f.object(newCopier(toldBounds, redact, func(path string) {
		if len(cut) < maxNotes {
			cut = append(cut, path)
		}
	}).copy(event, "", 0))
	for _, name := range foundBy { // what records are found by, and the event's name and time
		if value, ok := event[name].(string); ok {
			told[name] = redact.text(value)
		}
	}
	if own, has := told["outcome"]; has {
		told["own_outcome"] = own
	}
	if came != nil {
		out := hook.Outcome[any]{Verdict: came.Verdict, Payload: ev.Body()}
		r := FromOutcome(came.Fired, &out, 0)
		r.Hide = hide
		redact.finish(&r)
		told["outcome"] = toldOutcome{Action: r.Action, Reason: r.Reason, By: r.By, UserMessage: r.UserMessage, Inject: r.Inject, Result: r.Result,
			Ran: r.Ran, Steps: r.Steps, Changes: r.Changes, Metadata: r.Metadata, Cut: append(cut, r.Cut...)}
	} else {
		delete(told, "outcome")
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(told); err != nil {
		return nil, fmt.Errorf("the event cannot be told: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
