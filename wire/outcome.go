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
	Rule         string         `json:"rule,omitempty"`
	Facts        []hook.Fact    `json:"facts,omitempty"`
	Steps        []stepForm     `json:"steps"`
}

// stepForm is one step of an outcome as JSON.
type stepForm struct {
	Hook       string     `json:"hook"`
	Lane       string     `json:"lane"`
	Action     string     `json:"action"`
	Reason     string     `json:"reason"`
	DurationMS float64    `json:"duration_ms"`
	Changed    bool       `json:"changed,omitempty"`
	Injected   bool       `json:"injected,omitempty"`
	Rule       string     `json:"rule,omitempty"`
	Would      *wouldForm `json:"would,omitempty"`
	Note       string     `json:"note,omitempty"`
	Error      string     `json:"error,omitempty"`
}

// wouldForm is what a hook on trial would have decided, as JSON.
type wouldForm struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
	Rule   string `json:"rule,omitempty"`
	Change bool   `json:"change,omitempty"`
}

// EncodeOutcome gives what a whole chain answered: one line, every name but
// user_message, metadata, rule and facts always there, steps always an array. A step has changed and injected only
// where they are true, and a rule, would or note only where there is one. The metadata is
// without the agent's own event. The error and the note of a step are one clean line.
func EncodeOutcome(out hook.Outcome[any]) ([]byte, error) {
	form := outcomeForm{
		Event: out.Event, Action: out.Action.String(), Reason: out.Reason, By: out.By,
		Payload: out.Payload, Inject: out.Inject, Result: out.Result, RetryDelayMS: inMilliseconds(out.RetryDelay),
		UserMessage: out.UserMessage, Metadata: withoutNative(out.Metadata), Rule: out.Rule, Facts: out.Facts, Steps: make([]stepForm, len(out.Steps)),
	}
	for i, s := range out.Steps {
		form.Steps[i] = stepForm{Hook: s.Hook, Lane: s.Lane.String(), Action: s.Action.String(), Reason: s.Reason, DurationMS: inMilliseconds(s.Duration), Changed: s.Changed, Injected: s.Injected, Rule: s.Rule, Note: hook.LogLine(s.Note)}
		if s.Would != nil {
			form.Steps[i].Would = &wouldForm{s.Would.Action.String(), s.Would.Reason, s.Would.Rule, s.Would.Change}
		}
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
