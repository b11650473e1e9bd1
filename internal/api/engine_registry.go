package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
)

// maxRegistered bounds the hooks that are registered at a time.
const maxRegistered = 1024

// errTooMany says that no more hooks are taken.
var errTooMany = fmt.Errorf("%d hooks are registered, and no more are taken; unregister some, or give them a lease", maxRegistered)

// errClosed says that the daemon ends.
var errClosed = errors.New("hookway is ending; call again, and the next daemon answers")

// registry holds the hooks that were registered from outside: each until it is
// taken out, replaced, or its lease is over.
type registry struct {
	engine Registrar
	log    *slog.Logger

	turn  chan struct{} // holds one while somebody changes the engine
	mu    sync.Mutex
	hooks map[place]*registration
	ended bool
}

// place is where a hook is registered.
type place struct{ cwd, id string }

// registration is one registered hook.
type registration struct {
	at     place
	said   string // the folder that was given
	remove func()
	gone   func(*registration) // called once, when the hook is out of the engine; it must not block
	lease  *time.Timer
}

func newRegistry(engine Registrar, log *slog.Logger) *registry {
	return &registry{engine: engine, log: logline.Or(log), turn: make(chan struct{}, 1), hooks: map[place]*registration{}}
}

// put registers a hook, in the place of the one that is there. lease 0 is for
// ever. gone is called when the hook is out, whatever took it out, and not if put
// fails.
func (r *registry) put(ctx context.Context, cwd string, h hook.Hook, lease time.Duration, gone func(*registration)) (reg *registration, replaced bool, err error) {
	where, err := r.where(ctx, cwd)
	if err != nil {
		return nil, false, err
	}
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	defer func() { <-r.turn }()
	at := place{where, h.ID}
	r.mu.Lock()
	old, full, ended := r.hooks[at], len(r.hooks) >= maxRegistered, r.ended
	r.mu.Unlock()
	switch {
	case ended:
		return nil, false, errClosed
	case full && old == nil:
		return nil, false, errTooMany
	}
	remove, replaced, err := r.engine.Register(ctx, cwd, h)
	if err != nil {
		return nil, false, err
	}
	reg = &registration{at: at, said: cwd, remove: remove, gone: gone}
	r.mu.Lock()
	r.hooks[at] = reg
	if lease > 0 {
		reg.lease = time.AfterFunc(lease, func() {
			if r.take(reg) {
				r.log.Warn(fmt.Sprintf("hook %s is gone: its lease of %v is over", h.ID, lease))
			}
		})
	}
	r.mu.Unlock()
	if old != nil {
		old.end()
	}
	return reg, replaced || old != nil, nil
}

// where is the folder that stands for the workspace of another.
func (r *registry) where(ctx context.Context, cwd string) (string, error) {
	if p, ok := r.engine.(Placer); ok && cwd != "" {
		return p.Place(ctx, cwd)
	}
	return cwd, nil
}

// end tells of a registration that is out of the engine.
func (reg *registration) end() {
	if reg.lease != nil {
		reg.lease.Stop()
	}
	reg.remove()
	if reg.gone != nil {
		reg.gone(reg)
	}
}

// take takes this registration out. It reports whether it was still there.
func (r *registry) take(reg *registration) bool {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	r.mu.Lock()
	there := r.hooks[reg.at] == reg
	if there {
		delete(r.hooks, reg.at)
	}
	r.mu.Unlock()
	if there {
		reg.end()
	}
	return there
}

// has reports whether a registration is in force.
func (r *registry) has(reg *registration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hooks[reg.at] == reg
}

// count is how many hooks are registered.
func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.hooks)
}

// takeAt takes out what is registered at a place.
func (r *registry) takeAt(ctx context.Context, cwd, id string) bool {
	where, err := r.where(ctx, cwd)
	r.mu.Lock()
	reg := r.hooks[place{where, id}]
	if err != nil || reg == nil { // the folder is gone, or of another workspace now
		reg = nil
		for _, other := range r.hooks {
			if other.said == cwd && other.at.id == id {
				reg = other
			}
		}
	}
	r.mu.Unlock()
	return reg != nil && r.take(reg)
}

// close takes everything out, and takes no more.
func (r *registry) close() {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	r.mu.Lock()
	all := r.hooks
	r.hooks, r.ended = map[place]*registration{}, true
	r.mu.Unlock()
	for _, reg := range all {
		reg.end()
	}
}
