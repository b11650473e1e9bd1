package hook

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// entry is a registered hook, compiled.
type entry struct {
	hook    Hook
	handler Handler // the hook's, wrapped
	match   matcher
	events  []*EventInfo
	every   bool // on: "*"
	rank    int  // among those of equal priority, at directives
	seq     int

	closed  bool // failures block
	alone   bool // runs on a goroutine of its own
	breaker breaker
	queue   *queue // observe lane
}

// compile checks a hook and makes its entry. The engine's lock is held.
func (e *Engine) compile(h Hook) (*entry, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	match, err := h.Match.compile(h.Root, "", false)
	if err != nil {
		return nil, err
	}
	out := &entry{hook: h, handler: h.Handler, match: match, closed: h.Closed()}
	for _, name := range h.Events {
		if name == "*" {
			out.every = true
			continue
		}
		info := e.find(name)
		if info == nil {
			return nil, unknownEvent(name, e.Events)
		}
		if info.change && !e.changes {
			return nil, fmt.Errorf("%s tells of hooks: a hook of it is for such events alone", info.Name)
		}
		if !slices.Contains(out.events, info) {
			out.events = append(out.events, info)
		}
	}
	if err := h.Match.tellsOfCalls(out.events, true); err != nil && !out.every {
		return nil, err
	}
	if err := out.checkOverride(); err != nil {
		return nil, err
	}
	out.rank = out.namespaceRank()
	if e.wrap != nil {
		out.handler = e.wrap(h, h.Handler)
	}
	_, instant := out.handler.(Static)
	out.alone = !instant && (h.Lane != Transform || h.timed())
	if h.Lane == Observe {
		out.queue = newQueue(h.Queue)
	}
	return out, nil
}

// inOrder is the order in which hooks are asked: by lane and priority, then the more special
// address first, then as they were registered.
func inOrder(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.hook.Lane, b.hook.Lane), cmp.Compare(a.hook.order(), b.hook.order()), cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.seq, b.seq))
}

// table is what firings read: the chains of all events. It is immutable; a
// registration makes the next one and publishes it with one atomic store. Chains of
// events that a registration does not concern are shared between the two.
type table struct {
	bySlot []*chain              // hookway's events and those of Define
	custom map[*EventInfo]*chain // those of one engine
	every  []*entry              // hooks of "*"
}

// find returns the chain of an event, or nil if it has no hooks at all.
func (t *table) find(info *EventInfo) *chain {
	if t == nil {
		return nil
	}
	if info.slot >= 0 {
		if info.slot < len(t.bySlot) {
			return t.bySlot[info.slot]
		}
	} else if c := t.custom[info]; c != nil {
		return c
	}
	if len(t.every) == 0 {
		return nil
	}
	return &chain{source: slices.Clip(t.every)}
}

// changed makes the next table: without old, with added; either may be nil.
func (t *table) changed(old, added *entry) *table {
	next := &table{custom: map[*EventInfo]*chain{}}
	if t != nil {
		next.bySlot = slices.Clone(t.bySlot)
		for k, v := range t.custom {
			next.custom[k] = v
		}
		next.every = t.every
	}
	slots := len(Events())
	for len(next.bySlot) < slots {
		next.bySlot = append(next.bySlot, chainOf(slices.Clip(next.every)))
	}
	for _, info := range touched(next, old, added) {
		c := next.find(info)
		source := swap(c.entries(), old, added.on(info))
		if info.slot >= 0 {
			next.bySlot[info.slot] = chainOf(source)
		} else {
			next.custom[info] = chainOf(source)
		}
	}
	next.every = swap(next.every, old, added.onEvery())
	return next
}

// touched lists the events whose chains a change concerns.
func touched(t *table, entries ...*entry) []*EventInfo {
	var out []*EventInfo
	for _, e := range entries {
		if e == nil {
			continue
		}
		if e.every {
			out = append(out, Events()...)
			for info := range t.custom {
				out = append(out, info)
			}
		}
		out = append(out, e.events...)
	}
	slices.SortFunc(out, func(a, b *EventInfo) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Compact(out)
}

// on gives the entry if it is for an event, and else nil.
func (e *entry) on(info *EventInfo) *entry {
	if e != nil && (e.every || slices.Contains(e.events, info)) {
		return e
	}
	return nil
}

// onEvery gives the entry if it is for all events, and else nil.
func (e *entry) onEvery() *entry {
	if e != nil && e.every {
		return e
	}
	return nil
}

// swap returns the list without old and with added. Appending may share the array
// with the older list, which never looks past its own length; only the newest
// table's lists are appended to, under the engine's lock.
func swap(list []*entry, old, added *entry) []*entry {
	if old != nil {
		if i := slices.Index(list, old); i >= 0 {
			list = slices.Concat(list[:i], list[i+1:])
		}
	}
	if added != nil {
		list = append(list, added)
	}
	return list
}

// chain holds the hooks of one event. It is sorted and indexed at its first firing,
// so that registering many hooks costs little. The index by tool is what keeps a
// firing fast with a thousand rules: hooks for other tools are never looked at.
type chain struct {
	source []*entry // as registered
	once   sync.Once

	any    lanes            // hooks whose matcher does not name exact tools
	byTool map[string]lanes // hooks for exact tools
	tools  [3]bool          // lanes in which there are such
	has    [3]bool          // lanes in which there are any
	sure   int              // hooks that run at every event: their matchers match all

	overriding []*entry // hooks that stand in for built-in ones
}

// lanes are the hooks of a chain, sorted.
type lanes [3][]*entry

// chainOf makes a chain; nil is one without hooks.
func chainOf(source []*entry) *chain {
	if len(source) == 0 {
		return nil
	}
	return &chain{source: source}
}

// entries are the hooks as they were registered; a nil chain has none.
func (c *chain) entries() []*entry {
	if c == nil {
		return nil
	}
	return c.source
}

// index sorts the hooks and files those for exact tools under their tools. A hook that names
// a tool twice is filed once.
func (c *chain) index() {
	sorted := slices.Clone(c.source)
	slices.SortFunc(sorted, inOrder)
	c.byTool = map[string]lanes{}
	for _, e := range sorted {
		lane := e.hook.Lane
		c.has[lane] = true
		if e.hook.Override {
			c.overriding = append(c.overriding, e)
		}
		if len(e.match.tests) == 0 && len(e.match.tools) == 0 {
			c.sure++
		}
		if len(e.match.tools) == 0 {
			c.any[lane] = append(c.any[lane], e)
			continue
		}
		for _, tool := range e.match.tools {
			l := c.byTool[tool]
			if n := len(l[lane]); n == 0 || l[lane][n-1] != e { // "Bash|Bash"
				l[lane] = append(l[lane], e)
				c.byTool[tool], c.tools[lane] = l, true
			}
		}
	}
}

// walk goes through the hooks of a lane that may match the tool, in order: it merges
// those for any tool with those indexed under this one.
type walk struct{ a, b []*entry }

// walk begins a walk for a tool; "" is an event without one.
func (c *chain) walk(lane Lane, tool string) walk {
	w := walk{a: c.any[lane]}
	if c.tools[lane] && tool != "" {
		w.b = c.byTool[tool][lane]
	}
	return w
}

// empty reports whether no hook is left.
func (w *walk) empty() bool { return len(w.a) == 0 && len(w.b) == 0 }

// next merges the two sorted lists.
func (w *walk) next() *entry {
	from := &w.a
	switch {
	case len(w.b) == 0:
		if len(w.a) == 0 {
			return nil
		}
	case len(w.a) == 0 || inOrder(w.a[0], w.b[0]) > 0:
		from = &w.b
	}
	e := (*from)[0]
	*from = (*from)[1:]
	return e
}
