package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Engine holds hooks and fires events at them. The zero value is ready. All
// methods may be called from many goroutines, and from handlers; the exported
// fields are set before the first event. An Engine must not be copied.
//
// A firing reads an immutable table of hooks, without a lock. A registration
// makes the next table, so it costs time in proportion to the hooks of its
// events, and firings that have begun keep the old one.
type Engine struct {
	// AskFallback is what an ask becomes if Ask is nil: ActionBlock (also the
	// zero value) or ActionAllow.
	AskFallback Action

	// Ask asks the user about an operation because a hook decided so: Tool and
	// Generate call it. The verdict has the reason, and the payload is what
	// would be run. An error blocks. With nil, AskFallback decides.
	Ask func(ctx context.Context, v Verdict, payload any) (allowed bool, err error)

	// MaxContinues is how often in a row hooks may make an agent go on when it
	// wants to stop (AgentStop); zero is DefaultMaxContinues.
	MaxContinues int

	// Operations keeps what hooks set in the metadata for the later events of an
	// operation. With nil the engine has its own; engines that see events of the
	// same sessions share one.
	Operations *Operations

	// Analyse finds what tool calls would do, for AnyEvent.Facts and matchers that ask
	// for facts. With nil there are none.
	Analyse Analyser

	table atomic.Pointer[table] // what firings read; never changed in place

	mu     sync.Mutex // guards what follows
	hooks  map[string]*entry
	custom events
	seq    int
	wrap   func(Hook, Handler) Handler

	watchers  atomic.Pointer[[]*watcher]
	meta      atomic.Pointer[Engine] // has the hooks of events about hooks; nil: there are none
	changes   bool                   // this engine is one of those
	continues continueCounts
	pending   pending
	own       Operations
	counting  atomic.Int32  // hooks that want turns counted
	begins    time.Duration // how long an observer may delay the start of the next; zero is DefaultBegin
}

// On registers a typed function for one kind of event. It is a transform hook with
// the defaults of New, unless options say otherwise:
//
//	err := hook.On(&engine, hook.PreToolUse, check, hook.As(hook.Guard), hook.MatchTool("Bash"))
//
// Without the option Named, its id is the file and line of the call.
func On[P any](e *Engine, point Point[P], fn func(context.Context, *Event[P]) (Decision, error), options ...Option) error {
	h := New("", typed[P](fn), options...)
	if fn == nil {
		h.Handler = nil
	}
	h.Events = point.info.self
	if h.Origin == "" {
		h.Origin = callSite()
	}
	if h.ID != "" {
		return e.Add(h)
	}
	return e.addUnder(h, "go:"+h.Origin)
}

// callSite is the file and line of the call of On.
func callSite() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "unknown"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// addUnder registers under the given id, or the id with the first free number.
func (e *Engine) addUnder(h Hook, id string) error {
	h.ID = id
	for n := 2; ; n++ {
		err := e.Add(h)
		if !errors.Is(err, ErrDuplicate) {
			return err
		}
		h.ID = fmt.Sprintf("%s#%d", id, n)
	}
}

// ErrDuplicate is the cause when an id is taken.
var ErrDuplicate = errors.New("the id is taken; use Replace to put a hook in another's place")

// Add registers a hook. The error lists everything that is wrong with it: unknown
// events, invalid patterns, values out of range, an id that is taken
// (ErrDuplicate). Then nothing was registered. A firing that has begun does not
// see the new hook.
func (e *Engine) Add(h Hook) error {
	_, err := e.put(h, false)
	return err
}

// Replace registers a hook in place of the one with its id, handler and all, in
// one step: every firing sees either the old or the new one. It keeps the old
// one's place among equal priorities. Without an old one it adds.
func (e *Engine) Replace(h Hook) (replaced bool, err error) { return e.put(h, true) }

// put registers a hook with the engine that its events belong to: this one, or the one for
// events that tell of hooks. An id is unique among both.
func (e *Engine) put(h Hook, replace bool) (replaced bool, err error) {
	other, own := e.beside(&h)
	if other == nil || other == own {
		return e.enter(h, replace)
	}
	there, ok := other.has(h.ID)
	if ok && !replace {
		return false, hookError(h, fmt.Errorf("%w (the other is from %s)", ErrDuplicate, orUnknown(there.Origin)))
	}
	if own != e {
		h.Lane = Observe
		own.wrapLike(e)
	}
	if err := own.sound(h); err != nil { // an invalid hook replaces nothing
		return false, err
	}
	taken := other.take(h.ID)
	replaced, err = own.enter(h, replace)
	return replaced || taken, err
}

// sound reports what is wrong with a hook, or nil.
func (e *Engine) sound(h Hook) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.compile(h); err != nil {
		return hookError(h, err)
	}
	return nil
}

// enter registers a hook in this very engine.
func (e *Engine) enter(h Hook, replace bool) (replaced bool, err error) {
	e.mu.Lock()
	added, err := e.compile(h)
	if err != nil {
		e.mu.Unlock()
		return false, hookError(h, err)
	}
	old := e.hooks[h.ID]
	if old != nil && !replace {
		e.mu.Unlock()
		return false, hookError(h, fmt.Errorf("%w (the other is from %s)", ErrDuplicate, orUnknown(old.hook.Origin)))
	}
	if e.hooks == nil {
		e.hooks = map[string]*entry{}
	}
	if old != nil {
		added.seq = old.seq
	} else {
		e.seq++
		added.seq = e.seq
	}
	e.hooks[h.ID] = added
	e.counts(old, -1)
	e.counts(added, 1)
	e.table.Store(e.table.Load().changed(old, added))
	e.mu.Unlock()

	if old != nil {
		e.notify(old.changed(HookUnregistered))
	}
	e.notify(added.changed(HookRegistered))
	return old != nil, nil
}

// hookError puts the hook's name and place in front of what is wrong with it.
func hookError(h Hook, err error) error {
	if h.Origin == "" {
		return fmt.Errorf("hook %q: %w", h.ID, err)
	}
	return fmt.Errorf("%s: hook %q: %w", h.Origin, h.ID, err)
}

// orUnknown names where a hook comes from, for an error.
func orUnknown(origin string) string {
	if origin == "" {
		return "an unknown place"
	}
	return origin
}

// Remove takes a hook out. It reports whether there was one. A firing that has
// begun still runs it.
func (e *Engine) Remove(id string) bool {
	meta := e.meta.Load()
	return e.take(id) || meta != nil && meta.take(id)
}

// take removes a hook from this engine alone.
func (e *Engine) take(id string) bool {
	e.mu.Lock()
	old := e.hooks[id]
	if old != nil {
		delete(e.hooks, id)
		e.counts(old, -1)
		e.table.Store(e.table.Load().changed(old, nil))
	}
	e.mu.Unlock()
	if old == nil {
		return false
	}
	e.notify(old.changed(HookUnregistered))
	return true
}

// Get finds a hook by its id.
func (e *Engine) Get(id string) (Hook, bool) {
	if h, ok := e.has(id); ok {
		return h, true
	}
	if meta := e.meta.Load(); meta != nil {
		return meta.has(id)
	}
	return Hook{}, false
}

// has gives the hook of an id in this engine alone.
func (e *Engine) has(id string) (Hook, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if entry := e.hooks[id]; entry != nil {
		return entry.hook, true
	}
	return Hook{}, false
}

// All lists the hooks in the order in which they would run, lane by lane. The
// slice is the caller's.
func (e *Engine) All() []Hook {
	e.mu.Lock()
	entries := make([]*entry, 0, len(e.hooks))
	for _, entry := range e.hooks {
		entries = append(entries, entry)
	}
	e.mu.Unlock()
	slices.SortFunc(entries, inOrder)
	out := make([]Hook, len(entries))
	for i, entry := range entries {
		out[i] = entry.hook
	}
	if meta := e.meta.Load(); meta != nil {
		out = append(out, meta.All()...)
	}
	return out
}

// Len counts the hooks.
func (e *Engine) Len() int {
	others := 0
	if meta := e.meta.Load(); meta != nil {
		others = meta.Len()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.hooks) + others
}

// Define makes an event known to this engine only; see Custom and Native. The
// error names a name or alias that is taken. Define it before adding hooks for it.
func (e *Engine) Define(info *EventInfo) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range append([]string{info.Name}, info.Aliases...) {
		if old := catalogue.find(name); old != nil {
			return fmt.Errorf("the event name %q is taken by %s", name, old.Name)
		}
	}
	own := *info
	own.slot = -1 // slots are for the events of the whole process
	e.custom.mu.Lock()
	defer e.custom.mu.Unlock()
	return e.custom.enter(&own)
}

// Lookup finds an event by name: this engine's own, then hookway's.
func (e *Engine) Lookup(name string) (*EventInfo, error) {
	if info := e.find(name); info != nil {
		return info, nil
	}
	return nil, unknownEvent(name, e.Events)
}

// Events lists all events that this engine knows.
func (e *Engine) Events() []*EventInfo {
	e.custom.mu.RLock()
	defer e.custom.mu.RUnlock()
	return append(Events(), e.custom.list...)
}

// find gives the event of a name or alias: the engine's own first, so that a configuration
// may define an event that a later hookway has, too.
func (e *Engine) find(name string) *EventInfo {
	if info := e.custom.find(name); info != nil {
		return info
	}
	if info := catalogue.find(name); info != nil {
		return info
	}
	return findChange(name)
}

// Wrap puts a layer around every handler registered from now on, for tracing and
// for tests: hooktest.Strict uses it. A second call wraps the first. The layer is
// called once for each hook, and may return the handler unchanged.
func (e *Engine) Wrap(layer func(Hook, Handler) Handler) {
	e.mu.Lock()
	defer e.mu.Unlock()
	inner := e.wrap
	if inner == nil {
		e.wrap = layer
		return
	}
	e.wrap = func(h Hook, next Handler) Handler { return layer(h, inner(h, next)) }
}

// Close waits until the hooks of the observe lane have seen what was fired, and
// abandoned handlers have ended, or until the context ends, whose error it then
// returns. The engine may be used again afterwards.
func (e *Engine) Close(ctx context.Context) error {
	err := e.pending.wait(ctx)
	if meta := e.meta.Load(); meta != nil && err == nil {
		err = meta.Close(ctx)
	}
	return err
}
