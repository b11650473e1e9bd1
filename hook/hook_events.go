package hook

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// What happens to hooks is an event, too. Hooks of these events run in the observe
// lane, in an engine of their own, which a watcher feeds (see Engine.Watch). "*" does
// not mean these events, and they do not report each other.

// HookChange is one thing that happened to a hook: the payload of HookRegistered,
// HookUnregistered, HookStarted, HookCompleted and HookError. It has the contents of
// a Notice, with wire names.
type HookChange struct {
	HookID     string   `json:"hook_id"`
	HookName   string   `json:"hook_name,omitempty"`
	Events     []string `json:"events,omitempty"` // of the hook
	Event      string   `json:"event,omitempty"`  // that it was asked of; empty for (un)registration
	OfEvent    string   `json:"of_event_id,omitempty"`
	Lane       string   `json:"lane,omitempty"`
	Action     string   `json:"action,omitempty"`      // HookCompleted
	DurationMS float64  `json:"duration_ms,omitempty"` // HookCompleted, HookError
	Error      string   `json:"error,omitempty"`       // HookError
}

// hookChanges are the events about hooks, by the notice that fires them.
var hookChanges = map[NoticeKind]*EventInfo{
	HookRegistered:   hookChange(HookRegistered, "hook:registered"),
	HookUnregistered: hookChange(HookUnregistered, "hook:unregistered"),
	HookStarted:      hookChange(HookStarted, "hook:started"),
	HookCompleted:    hookChange(HookCompleted, "hook:completed"),
	HookError:        hookChange(HookError, "hook:error"),
}

// hookChange makes an event that tells of hooks. It is in no catalogue of events: a hook of
// "*" must not be told of its own work.
func hookChange(kind NoticeKind, alias string) *EventInfo {
	info := newInfo[HookChange](string(kind), May{}, false, []string{alias})
	info.change = true
	return info
}

// Changes lists the events that tell of hooks, by name.
func Changes() []*EventInfo {
	return slices.SortedFunc(maps.Values(hookChanges), func(a, b *EventInfo) int { return strings.Compare(a.Name, b.Name) })
}

// findChange finds the event of something that happens to hooks, or nil.
func findChange(name string) *EventInfo {
	for _, info := range hookChanges {
		if info.IsCalled(name) {
			return info
		}
	}
	return nil
}

// Changes reports whether the event is about hooks, such as HookStarted.
func (i *EventInfo) Changes() bool { return i.change }

// Changes reports whether the hook is for events about hooks, and for no others.
func (h *Hook) Changes() bool {
	return len(h.Events) > 0 && !slices.ContainsFunc(h.Events, func(name string) bool { return findChange(name) == nil })
}

// metaEngine returns the engine that has the hooks of events about hooks.
func (e *Engine) metaEngine() *Engine {
	if t := e.meta.Load(); t != nil {
		return t
	}
	t := &Engine{changes: true}
	t.Watch(func(n Notice) { // watchers of e see these hooks added, removed and failing
		if n.Kind != HookStarted && n.Kind != HookCompleted {
			n.change = true
			e.notify(n)
		}
	})
	stop := e.Watch(t.fireChange)
	if !e.meta.CompareAndSwap(nil, t) { // another was sooner
		stop()
		return e.meta.Load()
	}
	return t
}

// beside returns the engine that another hook of an id is in, if it is not the one that a
// hook belongs to; and the one that it belongs to.
func (e *Engine) beside(h *Hook) (other, own *Engine) {
	meta := e.meta.Load()
	if !e.changes && h.Changes() {
		return e, e.metaEngine()
	}
	return meta, e
}

// wrapLike has handlers wrapped as another engine wraps its own.
func (e *Engine) wrapLike(other *Engine) {
	other.mu.Lock()
	wrap := other.wrap
	other.mu.Unlock()
	e.mu.Lock()
	e.wrap = wrap
	e.mu.Unlock()
}

// changed is the notice of a hook that comes or goes.
func (e *entry) changed(kind NoticeKind) Notice {
	return Notice{Kind: kind, Hook: e.hook.ID, Name: e.hook.Name, Events: e.hook.Events}
}

// fireChange fires the event of a notice.
func (e *Engine) fireChange(n Notice) {
	info := hookChanges[n.Kind]
	if info == nil || n.change || e.table.Load().find(info) == nil {
		return
	}
	change := HookChange{
		HookID: n.Hook, HookName: n.Name, Events: n.Events, Event: n.Event, DurationMS: float64(n.Duration.Microseconds()) / 1e3,
	}
	if n.Event != "" {
		change.OfEvent, change.Lane = n.EventID.String(), n.Lane.String()
	}
	if n.Kind == HookCompleted {
		change.Action = n.Action.String()
	}
	if n.Err != nil {
		change.Error = LogLine(n.Err.Error())
	}
	ev, err := info.New(Envelope{Session: n.Session, Agent: n.Agent, CWD: n.CWD}, change)
	if err != nil {
		return // the payload is our own
	}
	_, _ = e.Fire(context.Background(), ev) // they decide nothing
}
