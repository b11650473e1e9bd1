package hook

import (
	"slices"
	"time"
)

// NoticeKind is what happened to a hook.
type NoticeKind string

// The kinds of notice. For every try of a call there is HookStarted, and then
// HookCompleted or HookError.
const (
	HookRegistered   NoticeKind = "HookRegistered"   // added
	HookUnregistered NoticeKind = "HookUnregistered" // removed, or replaced
	HookStarted      NoticeKind = "HookStarted"      // its handler is about to be called
	HookCompleted    NoticeKind = "HookCompleted"    // its handler reached a decision
	HookError        NoticeKind = "HookError"        // failed, or part of its decision was refused
	HookDropped      NoticeKind = "HookDropped"      // an observe hook's queue was full
)

// Notice is one thing that happened to a hook. There are notices of the hooks of a
// cancelled firing too, so that a record of notices has no gaps.
type Notice struct {
	Kind     NoticeKind
	Hook     string   // id
	Name     string   // the hook's, if it has one
	Events   []string // that the hook is for, as it names them
	Event    string   // canonical name; empty for (un)registration
	EventID  ID
	Session  string // of the event
	Agent    string // of the event
	CWD      string // of the event
	Lane     Lane
	Action   Action        // HookCompleted: what the handler answered
	Duration time.Duration // HookCompleted, HookError
	Err      error         // HookError

	change bool // the event is itself one about hooks
}

// watcher is one function of Watch. Functions cannot be compared, pointers can.
type watcher struct{ tell func(Notice) }

// Watch calls tell with every notice, on the goroutine where it happens: tell must
// be quick, may be called from many goroutines at once, and must not fire events.
// A panic of tell is dropped: a watcher must not stop what it watches. The function
// that Watch returns ends the watch; a call of tell may still be running then.
func (e *Engine) Watch(tell func(Notice)) (stop func()) {
	w := &watcher{tell}
	e.editWatchers(func(list []*watcher) []*watcher { return append(list, w) })
	return func() {
		e.editWatchers(func(list []*watcher) []*watcher {
			return slices.DeleteFunc(list, func(x *watcher) bool { return x == w })
		})
	}
}

// editWatchers publishes another list of watchers. Firings read the list without a lock, and
// nil where nobody watches.
func (e *Engine) editWatchers(edit func([]*watcher) []*watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []*watcher
	if old := e.watchers.Load(); old != nil {
		list = slices.Clone(*old)
	}
	if list = edit(list); len(list) == 0 {
		e.watchers.Store(nil)
		return
	}
	e.watchers.Store(&list)
}

// notify tells all watchers, in the order in which they came, before it returns.
func (e *Engine) notify(n Notice) {
	if list := e.watchers.Load(); list != nil {
		for _, w := range *list {
			w.safely(n)
		}
	}
}

// safely tells a watcher: it may be on a goroutine where a panic ends the process.
func (w *watcher) safely(n Notice) {
	defer func() { _ = recover() }()
	w.tell(n)
}
