package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/roster"
)

// messenger brings messages to the sessions that run.
type messenger struct {
	dir  string // of the roster
	self string // the sender's session, which a broadcast leaves out; may be ""
}

// delivery is what became of a message at one of those it is for.
type delivery struct {
	To      string `json:"to"`
	Session string `json:"session"`
	State   string `json:"state,omitempty"`  // delivered, suppressed, or waiting for its hooks
	Reason  string `json:"reason,omitempty"` // of the state
	Error   string `json:"error,omitempty"`  // why there is no state
}

// suppressed is the state of a message that a hook has blocked.
const suppressed = "suppressed"

// atOnce is how many sessions are sent to at the same time.
const atOnce = 16

// deliver sends to everybody a message is for. The error says that there is nobody.
func (m *messenger) deliver(ctx context.Context, message hook.Message) ([]delivery, error) {
	all, err := roster.All(m.dir)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(all), func(r *roster.Remote) bool { return r.Session == m.self })
	to := others
	if message.To == "*" && len(others) == 0 {
		return nil, errors.New("no other session runs")
	} else if message.To != "*" {
		one, err := roster.Pick(others, message.To)
		if errors.Is(err, roster.ErrUnknown) {
			one, err = roster.Pick(all, message.To) // to itself, then
		}
		if err != nil {
			return nil, err
		}
		to = []*roster.Remote{one}
	}
	got := make([]delivery, len(to))
	turns := make(chan struct{}, atOnce)
	var sending sync.WaitGroup
	for i, r := range to {
		turns <- struct{}{}
		sending.Go(func() {
			defer func() { <-turns }()
			got[i] = delivery{To: r.Name, Session: r.Session}
			state, reason, err := r.Message(ctx, message)
			if got[i].State, got[i].Reason = state, reason; err != nil {
				got[i].Error = err.Error()
			}
		})
	}
	sending.Wait()
	return got, nil
}

// Send is what a session's @relay and @broadcast call.
func (m *messenger) Send(ctx context.Context, message hook.Message) ([]hook.Delivery, error) {
	got, err := m.deliver(ctx, message)
	if err != nil {
		return nil, err
	}
	all := make([]hook.Delivery, len(got))
	for i, d := range got {
		all[i] = hook.Delivery{Message: message, Success: d.Error == "" && d.State != suppressed, Error: d.Error}
		if all[i].To = d.To; d.State == suppressed {
			all[i].Error = strings.TrimSuffix(suppressed+": "+d.Reason, ": ")
		}
	}
	return all, nil
}
