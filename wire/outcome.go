package wire

import (
	"fmt"

	"github.com/hookway/hookway/hook"
)

// outcomeStep is one step of an outcome.
type outcomeStep struct {
	Hook       string  `json:"hook"`
	Lane       string  `json:"lane"`
	Action     string  `json:"action"`
	Reason     string  `json:"reason"`
	DurationMS float64 `json:"duration_ms"`
	Error      string  `json:"error,omitempty"`
}

// EncodeOutcome gives what a whole chain answered: one line, every name but
// user_message and metadata always there, steps always an array. The metadata is
// without the agent's own event. An error of a step is one clean line.
func EncodeOutcome(out hook.Outcome[any]) ([]byte, error) {
	steps := make([]outcomeStep, len(out.Steps))
	for i, s := range out.Steps {
		steps[i] = outcomeStep{Hook: s.Hook, Lane: s.Lane.String(), Action: s.Action.String(), Reason: s.Reason, DurationMS: inMilliseconds(s.Duration)}
		if s.Err != nil {
			steps[i].Error = hook.LogLine(s.Err.Error())
		}
	}
	metadata := withoutNative(out.Metadata)
	w := newWriter()
	w.open()
	err := w.members([]pair{
		{"event", out.Event, true},
		{"action", out.Action.String(), true},
		{"reason", out.Reason, true},
		{"by", out.By, true},
		{"payload", out.Payload, true},
		{"inject", out.Inject, true},
		{"result", out.Result, true},
		{"retry_delay_ms", inMilliseconds(out.RetryDelay), true},
		{"user_message", out.UserMessage, out.UserMessage != ""},
		{"metadata", metadata, len(metadata) > 0},
		{"steps", steps, true},
	})
	if err != nil {
		return nil, fmt.Errorf("the outcome of %s cannot be written as JSON: %w", out.Event, err)
	}
	w.close(false)
	return w.buf.Bytes(), nil
}
