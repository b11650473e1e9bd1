package main

import (
	"sync"

	"github.com/hookway/hookway/hook"
)

// observed gathers what the hooks of the observe lane did: an outcome has no
// steps of theirs, because nobody waits for them.
type observed struct {
	event string // the one that counts: one event may bring another with it

	mu   sync.Mutex
	byID map[string][]hook.Step
}

// note is told every notice of an engine.
func (o *observed) note(n hook.Notice) {
	if n.Event != o.event || n.Lane != hook.Observe || n.Kind != hook.HookCompleted && n.Kind != hook.HookError {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID == nil {
		o.byID = map[string][]hook.Step{}
	}
	o.byID[n.Hook] = append(o.byID[n.Hook], hook.Step{Hook: n.Hook, Lane: hook.Observe, Duration: n.Duration, Err: n.Err})
}

// steps gives the steps in the order of the hooks, whichever ended first.
func (o *observed) steps(order []hook.Hook) []hook.Step {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []hook.Step
	for _, h := range order {
		list = append(list, o.byID[h.ID]...)
	}
	return list
}
