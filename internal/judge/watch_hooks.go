package judge

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hookway/hookway/hook"
)

// HookNotice is one thing that happened to a hook of a workspace.
type HookNotice struct {
	hook.Notice
	Workspace string // or the folder, where there is none

	// Missed is how many came just before it, and found no room.
	Missed int64
}

// noticeRoom is how far one who watches hooks may be behind.
const noticeRoom = 1024

// changes hands what happens to hooks on to those who watch. It never blocks.
type changes struct {
	n   atomic.Int64 // who watches
	mu  sync.Mutex
	out map[*changed]struct{}
}

type changed struct {
	filter WatchFilter
	event  string // normal
	to     chan HookNotice
	missed int64
}

// WatchHooks gives what happens to hooks of this process from now on, until the context
// ends. Who is slow misses some.
func (j *Judge) WatchHooks(ctx context.Context, f WatchFilter) <-chan HookNotice {
	c := &changed{filter: f, event: hook.Normal(f.Event), to: make(chan HookNotice, noticeRoom)}
	if info, err := hook.Lookup(f.Event); err == nil {
		c.event = hook.Normal(info.Name)
	}
	all := &j.changes
	all.mu.Lock()
	if all.out == nil {
		all.out = map[*changed]struct{}{}
	}
	all.out[c] = struct{}{}
	all.mu.Unlock()
	all.n.Add(1)
	context.AfterFunc(ctx, func() {
		all.n.Add(-1)
		all.mu.Lock()
		delete(all.out, c)
		all.mu.Unlock()
	})
	return c.to
}

// follow has the hooks of an engine told of.
func (all *changes) follow(e *hook.Engine, workspace func() string) {
	e.Watch(func(n hook.Notice) {
		if all.n.Load() == 0 {
			return
		}
		at := workspace()
		all.mu.Lock()
		defer all.mu.Unlock()
		for c := range all.out {
			c.tell(HookNotice{Notice: n, Workspace: at})
		}
	})
}

func (c *changed) tell(n HookNotice) {
	if !c.wants(&n) {
		return
	}
	n.Missed = c.missed
	select {
	case c.to <- n:
		c.missed = 0
	default:
		c.missed++
	}
}

func (c *changed) wants(n *HookNotice) bool {
	f := &c.filter
	at := n.CWD
	if n.Event == "" {
		at = n.Workspace
	}
	return (f.Session == "" || n.Session == f.Session) &&
		(f.Event == "" || hook.Normal(n.Event) == c.event || hook.Normal(string(n.Kind)) == c.event) &&
		(f.CWD == "" || within(f.CWD, at) || n.Event == "" && within(at, f.CWD))
}
