package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// always is a handler that gives the same decision at every event.
type always struct {
	decision *hookwayv1.Decision
	profile  hook.Profile
}

// Handle gives the decision.
func (a always) Handle(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	return rpc.Decision(ev, a.decision, a.profile, nil)
}

// fixed makes a handler of a decision that is always the same, if the hook's lane
// and events listen to it.
func fixed(h *hook.Hook, d *hookwayv1.Decision) (hook.Handler, error) {
	if err := rpc.Check(d); err != nil {
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
		if one, err = rpc.Decision(ev, d, h.Profile, nil); err != nil {
			return nil, fmt.Errorf("the decision does not fit %s: %w", info.Name, err)
		}
		checked++
	}
	if changes || checked < len(h.Events) {
		return always{d, h.Profile}, nil
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
