package wire

import (
	"fmt"
	"reflect"

	"github.com/hookway/hookway/hook"
)

// outcomeForm is an outcome as JSON.
type outcomeForm struct {
	Event        string         `json:"event"`
	Action       string         `json:"action"`
	Reason       string         `json:"reason"`
	By           string         `json:"by"`
	Payload      any            `json:"payload"`
	Inject       string         `json:"inject"`
	Result       any            `json:"result"`
	RetryDelayMS float64        `json:"retry_delay_ms"`
	UserMessage  string         `json:"user_message,omitempty"`
	Metadata     map[string]any `json:"metadata,omitempty"`
	Steps        []stepForm     `json:"steps"`
}

// stepForm is one step of an outcome as JSON.
type stepForm struct {
	Hook       string  `json:"hook"`
	Lane       string  `json:"lane"`
	Action     string  `json:"action"`
	Reason     string  `json:"reason"`
	DurationMS float64 `json:"duration_ms"`
	Changed    bool    `json:"changed,omitempty"`
	Injected   bool    `json:"injected,omitempty"`
	Note       string  `json:"note,omitempty"`
	Error      string  `json:"error,omitempty"`
}

// EncodeOutcome gives what a whole chain answered: one line, every name but
// user_message and metadata always there, steps always an array. A step has changed and injected only
// where they are true, and a note only where there is one. The metadata is
// without the agent's own event. The error and the note of a step are one clean line.
func EncodeOutcome(out hook.Outcome[any]) ([]byte, error) {
	form := outcomeForm{
		Event: out.Event, Action: out.Action.String(), Reason: out.Reason, By: out.By,
		Payload: out.Payload, Inject: out.Inject, Result: out.Result, RetryDelayMS: inMilliseconds(out.RetryDelay),
		UserMessage: out.UserMessage, Metadata: withoutNative(out.Metadata), Steps: make([]stepForm, len(out.Steps)),
	}
	for i, s := range out.Steps {
		form.Steps[i] = stepForm{Hook: s.Hook, Lane: s.Lane.String(), Action: s.Action.String(), Reason: s.Reason, DurationMS: inMilliseconds(s.Duration), Changed: s.Changed, Injected: s.Injected, Note: hook.LogLine(s.Note)}
		if s.Err != nil {
			form.Steps[i].Error = hook.LogLine(s.Err.Error())
		}
	}
	w := newWriter()
	if err := w.value(reflect.ValueOf(form), 0); err != nil {
		return nil, fmt.Errorf("the outcome of %s cannot be written as JSON: %w", out.Event, err)
	}
	return w.buf.Bytes(), nil
}
