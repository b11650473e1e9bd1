package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// decided is a decision from outside as JSON, which package wire reads.
type decided struct {
	Action       string          `json:"action"`
	Reason       string          `json:"reason,omitempty"`
	UserMessage  string          `json:"user_message,omitempty"`
	Modified     json.RawMessage `json:"modified,omitempty"`
	Result       json.RawMessage `json:"result,omitempty"`
	RetryDelayMS float64         `json:"retry_delay_ms,omitempty"`
	Inject       string          `json:"inject,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
}

// answerOf gives a decision as the JSON of an answer.
func answerOf(d *hookwayv1.Decision) ([]byte, error) {
	if d == nil {
		return nil, errors.New("there is no decision; for no opinion send an empty one")
	}
	if d.GetAction() < 0 || int64(d.GetAction()) > int64(hook.ActionAnswer) {
		return nil, fmt.Errorf("the decision has an unknown action, number %d", d.GetAction())
	}
	delay := float64(0)
	if d.GetRetryDelay() != nil {
		delay = float64(d.GetRetryDelay().GetSeconds())*1e3 + float64(d.GetRetryDelay().GetNanos())/1e6
	}
	for _, f := range []struct {
		name string
		text []byte
	}{{"modified", d.GetModified()}, {"result", d.GetResult()}, {"metadata", d.GetMetadata()}} {
		if len(f.text) > 0 && !json.Valid(f.text) {
			return nil, fmt.Errorf("%s of the decision is no JSON", f.name)
		}
	}
	if math.IsInf(delay, 0) || math.IsNaN(delay) {
		return nil, errors.New("retry_delay of the decision is no time span")
	}
	return json.Marshal(decided{
		Action: hook.Action(d.GetAction()).String(), Reason: d.GetReason(), UserMessage: d.GetUserMessage(), Modified: d.GetModified(),
		Result: d.GetResult(), RetryDelayMS: delay, Inject: d.GetInject(), Metadata: d.GetMetadata(),
	})
}

// decisionOf reads a hook's decision about an event.
func decisionOf(ev hook.AnyEvent, d *hookwayv1.Decision, profile hook.Profile) (hook.Decision, error) {
	text, err := answerOf(d)
	if err != nil {
		if d.GetAction() == hookwayv1.Action_ACTION_BLOCK { // what else is wrong with it does not weaken a no
			return hook.Decision{Action: hook.ActionBlock, Reason: d.GetReason(), UserMessage: d.GetUserMessage()}, nil
		}
		return hook.Decision{}, err
	}
	return wire.DecodeDecision(ev, text, profile)
}

// always is a handler that gives the same decision at every event.
type always struct {
	text    []byte
	profile hook.Profile
}

// Handle gives the decision.
func (a always) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	return wire.DecodeDecision(ev, a.text, a.profile)
}

// fixed makes a handler of a decision that is always the same, if the hook's lane
// and events listen to it.
func fixed(h *hook.Hook, d *hookwayv1.Decision) (hook.Handler, error) {
	text, err := answerOf(d)
	if err != nil {
		return nil, err
	}
	changes := len(d.GetModified()) > 0
	action := hook.Action(d.GetAction())
	switch {
	case h.Lane == hook.Observe:
		return nil, errors.New("a decision does nothing in the observe lane, which ignores decisions; put the hook into another lane")
	case h.Lane == hook.Guard && (changes || action == hook.ActionAnswer || action == hook.ActionSkip):
		return nil, errors.New("a guard only judges; put what changes, answers or skips into the transform lane")
	}
	var one hook.Decision
	checked := 0
	for _, name := range h.Events {
		info, err := hook.Lookup(name)
		if err != nil {
			continue // "*", or one of the workspace's own; registering finds the others
		}
		if !listens(info.May, action) {
			return nil, fmt.Errorf("a hook of %s may not %s; it may: %s", info.Name, action, info.May)
		}
		if d.GetInject() != "" && !info.May.Inject {
			return nil, fmt.Errorf("a hook of %s may not inject; it may: %s", info.Name, info.May)
		}
		ev, err := info.New(hook.Envelope{}, info.NewPayload())
		if err != nil {
			return nil, err
		}
		if one, err = wire.DecodeDecision(ev, text, h.Profile); err != nil {
			return nil, fmt.Errorf("the decision does not fit %s: %w", info.Name, err)
		}
		checked++
	}
	if changes || checked < len(h.Events) {
		return always{text, h.Profile}, nil
	}
	return hook.Static(one), nil
}

// listens reports whether an event takes an action.
func listens(may hook.May, a hook.Action) bool {
	switch a {
	case hook.ActionAllow:
		return may.Allow
	case hook.ActionAsk:
		return may.Ask
	case hook.ActionBlock:
		return may.Block
	case hook.ActionRetry:
		return may.Retry
	case hook.ActionAnswer:
		return may.Answer
	}
	return true
}
