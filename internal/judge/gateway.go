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

// Bounds of what hooks do with the daemon's begin and end: nobody waits for the
// first, and an end is not to be held up.
const (
	startTime = 30 * time.Second
	stopTime  = 3 * time.Second
)

// gateway knows whom the daemon's begin was told, so that each hook hears it once,
// and its end once.
type gateway struct {
	mu      sync.Mutex
	info    *hook.GatewayInfo // nil: it has not begun
	stopped bool
	told    map[*entry]*telling
	heard   map[string]bool // the workspaces, and user's configurations, that were told
	under   sync.WaitGroup  // tellings of the begin
	ctx     context.Context
	cancel  context.CancelFunc
}

// telling is an entry that hears of the begin.
type telling struct {
	done  chan struct{}
	place string // of heard; "" if another entry had told it already. Read after done
}

// GatewayStart tells the hooks of the user's configuration that the daemon is there.
// Those of a workspace are told when its first event comes. It does not wait for them.
func (j *Judge) GatewayStart(info hook.GatewayInfo) {
	j.gateway.mu.Lock()
	if j.gateway.info == nil && !j.gateway.stopped {
		j.gateway.info, j.gateway.told, j.gateway.heard = &info, map[*entry]*telling{}, map[string]bool{}
		j.gateway.ctx, j.gateway.cancel = context.WithCancel(context.Background())
		j.gateway.under.Go(func() { j.startUser() })
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
// events of no workspace, and so tells them.
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
		j.log(fmt.Sprintf("nobody is told of GatewayStart: %v", err))
	}
}

// opened tells a workspace that came to be warm that the daemon is there.
func (j *Judge) opened(e *entry) {
	g := &j.gateway
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.info == nil || g.stopped || g.told[e] != nil || e.folder == "" && e.scope != "" {
		return
	}
	t := &telling{done: make(chan struct{})}
	g.told[e] = t
	info := *g.info
	g.under.Go(func() {
		defer close(t.done)
		<-e.ready
		if t.place = g.hear(e); t.place == "" {
			return
		}
		ctx, cancel := context.WithTimeout(g.ctx, startTime)
		defer cancel()
		tellAll(ctx, j, e, hook.GatewayStart, info)
	})
}

// hear notes that an entry is told, unless the same hooks were told in another one,
// of an agent with other settings.
func (g *gateway) hear(e *entry) (place string) {
	if e.err != nil || e.live == nil {
		return ""
	}
	if place = e.folder; place == "" {
		place = "user\x00" + e.live.Set().UserDir
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.heard[place] {
		return ""
	}
	g.heard[place] = true
	return place
}

// closing tells a workspace that is let go what GatewayStop tells all at the end.
func (j *Judge) closing(e *entry) {
	g := &j.gateway
	g.mu.Lock()
	t := g.told[e]
	delete(g.told, e)
	g.mu.Unlock()
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if t.tell(ctx, j, e, "nothing came from its workspace for long") {
		g.mu.Lock()
		delete(g.heard, t.place) // it is told again when something comes
		g.mu.Unlock()
	}
}

// tell tells an entry of the end, if it was told of the begin, and after that.
func (t *telling) tell(ctx context.Context, j *Judge, e *entry, reason string) bool {
	select {
	case <-t.done:
	case <-ctx.Done():
		return false
	}
	if t.place != "" {
		tellAll(ctx, j, e, hook.GatewayStop, hook.GatewayEnd{Reason: reason})
	}
	return t.place != ""
}

// GatewayStop tells those that heard of the begin that the daemon ends, and waits
// for them, for a bounded time. It does nothing at a second call.
func (j *Judge) GatewayStop(ctx context.Context, reason string) {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	j.gateway.mu.Lock()
	told := j.gateway.told
	j.gateway.told, j.gateway.stopped = nil, true
	j.gateway.mu.Unlock()
	var under sync.WaitGroup
	for e, t := range told {
		under.Go(func() { t.tell(ctx, j, e, reason) })
	}
	under.Wait()
	j.gateway.end()
}

// end waits for what is still told of the begin, which has no more time now.
func (g *gateway) end() {
	g.mu.Lock()
	g.stopped = true
	if g.cancel != nil {
		g.cancel()
	}
	g.mu.Unlock()
	g.under.Wait()
}

// tellAll fires an event at the hooks that are told in an entry: those of the user's
// configuration in the one of no workspace, elsewhere those of the workspace.
func tellAll[P any](ctx context.Context, j *Judge, e *entry, point hook.Point[P], payload P) {
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
			j.log(fmt.Sprintf("hook %s is not told of %s: %v", h.ID, point.Info().Name, err))
		}
	}
	if engine.Len() == 0 {
		return
	}
	ev, err := point.Info().New(hook.Envelope{Source: "daemon", CWD: e.folder}, payload)
	if err != nil {
		j.log(fmt.Sprintf("%s cannot be told: %v", point.Info().Name, err))
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
