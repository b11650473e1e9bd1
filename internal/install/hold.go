package install

import (
	"slices"
	"time"

	"github.com/hookway/hookway/internal/adapter"
)

// beyond is how much longer the agent waits than a person has to answer: what hookway
// takes besides, with the part of the time that it keeps for its answer.
const beyond = time.Minute

// HoldFor is Options.Hold if calls are to be held at all, and a person has so long to
// answer.
func HoldFor(held bool, answer time.Duration) time.Duration {
	if !held {
		return -1
	}
	return max(HoldTimeout, (answer + beyond).Round(time.Second))
}

// patience is how long an agent waits at an event: longer where a call may be held for a
// person.
func (a *agent) patience(w *world, about *adapter.About, event string) time.Duration {
	wait := w.Timeout
	if hold := about.Holds(event); hold > 0 && w.Hold > 0 {
		wait = max(wait, min(w.Hold, hold))
	}
	if a.wait != nil {
		if most := a.wait(event); most > 0 {
			wait = min(wait, most)
		}
	}
	return wait
}

// longest is the timeout that was asked for: that of some events is bounded, and that of
// others is longer, so that a call can be held.
func (s *State) longest(about *adapter.About) (longest time.Duration) {
	events := slices.DeleteFunc(slices.Clone(s.Events), func(e EventState) bool { return about.Holds(e.Name) > 0 })
	if len(events) == 0 {
		events = s.Events
	}
	for _, e := range events {
		if d, err := time.ParseDuration(e.Timeout); err == nil {
			longest = max(longest, d)
		}
	}
	return longest
}

// short are the events at which the agent waits too short a time for a person.
func (s *State) short(a *agent, w *world, about *adapter.About) (names []string) {
	for _, e := range s.Events {
		if about.Holds(e.Name) == 0 {
			continue
		}
		if d, err := time.ParseDuration(e.Timeout); err == nil && d < a.patience(w, about, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}
