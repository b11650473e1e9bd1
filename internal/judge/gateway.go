package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
)

// Bounds of what hooks do with the daemon's start and stop: the first is not waited
// for, and the second must not take long.
const (
	startTime = 30 * time.Second
	stopTime  = 3 * time.Second
)

// gateway tracks which hooks received GatewayStart, so that each gets it once, and
// GatewayStop once.
type gateway struct {
	mu          sync.Mutex
	info        *hook.GatewayInfo // nil: it has not begun
	stopped     bool
	subscribers map[*entry]*subscriber
	notified    map[string]bool // the workspaces and user configurations that have GatewayStart
	starting    sync.WaitGroup  // GatewayStart under way
	ctx         context.Context
	cancel      context.CancelFunc
}

// subscriber is an entry whose hooks get GatewayStart.
type subscriber struct {
	done  chan struct{}
	place string // in notified; "" if another entry notified the same hooks. Read after done
}

// GatewayStart fires GatewayStart at the hooks of the user's configuration.
// Those of a workspace get it when its first event comes. It does not wait for them.
func (j *Judge) GatewayStart(info hook.GatewayInfo) {
	j.gateway.mu.Lock()
	if j.gateway.info == nil && !j.gateway.stopped {
		j.gateway.info, j.gateway.subscribers, j.gateway.notified = &info, map[*entry]*subscriber{}, map[string]bool{}
		j.gateway.ctx, j.gateway.cancel = context.WithCancel(context.Background())
		j.gateway.starting.Go(func() { j.startUser() })
	}
	j.gateway.mu.Unlock()
	j.workspaces.mu.Lock()
	open := make([]*entry, 0, len(j.workspaces.kept))
	for _, e := range j.workspaces.kept { // what was quicker than this
		open = append(open, e)
	}
	j.workspaces.mu.Unlock()
	for _, e := range open {
		j.opened(e)
	}
}

// startUser makes the hooks of the user's configuration ready, which are asked for
// events of no workspace, and so notifies them.
func (j *Judge) startUser() {
	ctx, cancel := context.WithTimeout(j.gateway.ctx, startTime)
	defer cancel()
	at, err := j.placeOf("", nil)
	if err == nil {
		var w *Workspace
		if w, err = j.workspaces.openAt(ctx, j, at); err == nil {
			w.leave()
		}
	}
	if err != nil {
		j.log(fmt.Sprintf("no hook gets GatewayStart: %v", err))
	}
}

// opened fires GatewayStart at a workspace that became warm.
func (j *Judge) opened(e *entry) {
	g := &j.gateway
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.info == nil || g.stopped || g.subscribers[e] != nil || e.folder == "" && e.scope != "" {
		return
	}
	t := &subscriber{done: make(chan struct{})}
	g.subscribers[e] = t
	info := *g.info
	g.starting.Go(func() {
		defer close(t.done)
		<-e.ready
		if t.place = g.claim(e); t.place == "" {
			return
		}
		ctx, cancel := context.WithTimeout(g.ctx, startTime)
		defer cancel()
		notify(ctx, j, e, hook.GatewayStart, info)
	})
}

// claim notes that an entry is notified, unless the same hooks were notified in another one,
// of an agent with other settings.
func (g *gateway) claim(e *entry) (place string) {
	if e.err != nil || e.live == nil {
		return ""
	}
	if place = e.folder; place == "" {
		place = "user\x00" + e.live.Set().UserDir
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.notified[place] {
		return ""
	}
	g.notified[place] = true
	return place
}

// closing fires GatewayStop at a workspace that is let go.
func (j *Judge) closing(e *entry) {
	g := &j.gateway
	g.mu.Lock()
	t := g.subscribers[e]
	delete(g.subscribers, e)
	g.mu.Unlock()
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if t.stop(ctx, j, e, "nothing came from its workspace for long") {
		g.mu.Lock()
		delete(g.notified, t.place) // it is notified again when something comes
		g.mu.Unlock()
	}
}

// stop fires GatewayStop at an entry, if it got GatewayStart, and after that.
func (t *subscriber) stop(ctx context.Context, j *Judge, e *entry, reason string) bool {
	select {
	case <-t.done:
	case <-ctx.Done():
		return false
	}
	if t.place != "" {
		notify(ctx, j, e, hook.GatewayStop, hook.GatewayEnd{Reason: reason})
	}
	return t.place != ""
}

// GatewayStop fires GatewayStop at the hooks that got GatewayStart, and waits
// for them, for a bounded time. It does nothing at a second call.
func (j *Judge) GatewayStop(ctx context.Context, reason string) {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	_, end := j.approvals.ending()
	end() // what waits for a person goes on waiting elsewhere
	j.gateway.mu.Lock()
	subscribers := j.gateway.subscribers
	j.gateway.subscribers, j.gateway.stopped = nil, true
	j.gateway.mu.Unlock()
	var under sync.WaitGroup
	for e, t := range subscribers {
		under.Go(func() { t.stop(ctx, j, e, reason) })
	}
	under.Wait()
	j.gateway.end()
}

// end cancels what is left of GatewayStart, and waits for it.
func (g *gateway) end() {
	g.mu.Lock()
	g.stopped = true
	if g.cancel != nil {
		g.cancel()
	}
	g.mu.Unlock()
	g.starting.Wait()
}

// notify fires an event at the hooks of an entry that get it: those of the user's
// configuration in the one of no workspace, elsewhere those of the workspace.
func notify[P any](ctx context.Context, j *Judge, e *entry, point hook.Point[P], payload P) {
	set, err := e.live.Refresh(ctx)
	if err != nil {
		j.log(fmt.Sprintf("the configuration of %s could not be read again: %v", e.folder, err))
	}
	engine := new(hook.Engine)
	for _, info := range e.engine.Events()[len(hook.Events()):] {
		_ = engine.Define(info) // it was defined there
	}
	for _, h := range e.engine.All() {
		i := slices.IndexFunc(set.Hooks, func(c config.Hook) bool { return c.ID == h.ID && c.State == config.Active })
		registered := strings.HasPrefix(h.ID, Registered) && (e.folder == "" || j.registry.of(e, h.ID))
		mine := i >= 0 && (set.Hooks[i].Layer == config.LayerWorkspace) == (e.folder != "")
		if !mine && !registered || !wants(engine, h, point.Info()) {
			continue
		}
		if err := engine.Add(h); err != nil {
			j.log(fmt.Sprintf("hook %s does not get %s: %v", h.ID, point.Info().Name, err))
		}
	}
	if engine.Len() == 0 {
		return
	}
	ev, err := point.Info().New(hook.Envelope{Source: "daemon", CWD: e.folder}, payload)
	if err != nil {
		j.log(fmt.Sprintf("%s cannot be fired: %v", point.Info().Name, err))
		return
	}
	j.watch(&entry{engine: engine, live: e.live})
	j.changes.follow(engine, func() string { return e.folder })
	w := &Workspace{Folder: e.folder, Engine: engine, live: e.live, set: set, entry: e}
	if _, err := j.fireAt(ctx, w, ev, nil); err != nil {
		j.log(fmt.Sprintf("hooks of %s did not come to their end: %v", point.Info().Name, err))
	}
	if err := engine.Close(ctx); err != nil {
		j.log(fmt.Sprintf("hooks of %s were not waited for any longer: %v", point.Info().Name, err))
	}
}

// wants reports whether a hook is for an event.
func wants(engine *hook.Engine, h hook.Hook, info *hook.EventInfo) bool {
	return slices.ContainsFunc(h.Events, func(name string) bool {
		if name == "*" {
			return true
		}
		found, err := engine.Lookup(name)
		return err == nil && found == info
	})
}

// of reports whether a hook was registered for this workspace, and not for all.
func (r *registry) of(e *entry, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.hooks, func(reg *registration) bool { return reg.hook.ID == id && reg.dir != "" && reg.meets(e) })
}
