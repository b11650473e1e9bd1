package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
)

// Registered begins the ids of hooks that were added from outside, so that none
// can take the place of one of the configuration.
const Registered = config.Registered

// maxRegistered bounds how many hooks are added from outside.
const maxRegistered = 1024

// registry keeps the hooks that were added from outside, and puts them into the
// engines of their workspaces, now and later.
type registry struct {
	generation atomic.Int64 // counts the changes
	count      atomic.Int64

	mu      sync.Mutex
	hooks   []*registration
	entries map[*entry]bool // that are warm
}

// registration is one hook that was added.
type registration struct {
	dir  string // the folder whose events it is for; "" is all
	bare bool   // there was no workspace there
	hook hook.Hook
}

// Register adds a hook for the events of the workspace that cwd lies in, or of
// that folder and those below if there is none; "" is for all events of the user.
// It stays, whatever becomes of the configuration, until remove is called or the
// Judge closed. One of the same id and folder is replaced. The hook is named
// Registered and its id everywhere.
func (j *Judge) Register(ctx context.Context, cwd string, h hook.Hook) (remove func(), replaced bool, err error) {
	w, r, err := j.registration(ctx, cwd)
	if err != nil {
		return nil, false, err
	}
	defer w.leave()
	if h.ID == "" {
		return nil, false, &RequestError{Field: "id", Err: errors.New("the hook has no id")}
	}
	h.ID = Registered + strings.TrimPrefix(h.ID, Registered)
	if h.Origin == "" {
		h.Origin = "registered"
	}
	if err := fits(w.Engine, h); err != nil {
		return nil, false, &RequestError{Field: "hook", Err: err}
	}
	r.hook = h
	replaced, err = j.registry.add(r, j.log)
	if err != nil {
		return nil, false, err
	}
	return sync.OnceFunc(func() { j.registry.remove(r) }), replaced, nil
}

// Place is the folder for whose events Register adds hooks from cwd: hooks of one id
// and one such folder replace each other.
func (j *Judge) Place(ctx context.Context, cwd string) (string, error) {
	w, r, err := j.registration(ctx, cwd)
	if err != nil {
		return "", err
	}
	w.leave()
	return r.dir, nil
}

// registration makes one that is still without its hook, with its workspace, which
// the caller leaves.
func (j *Judge) registration(ctx context.Context, cwd string) (*Workspace, *registration, error) {
	at, err := j.placeOf(cwd, nil)
	if err != nil {
		return nil, nil, err
	}
	w, err := j.workspaces.openAt(ctx, j, at)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case cwd == "":
		return w, &registration{}, nil
	case w.Folder != "":
		return w, &registration{dir: w.Folder}, nil
	}
	return w, &registration{dir: disk.Real(at.dir), bare: true}, nil
}

// fits sees whether an engine would take a hook.
func fits(engine *hook.Engine, h hook.Hook) error {
	try := new(hook.Engine)
	for _, info := range engine.Events()[len(hook.Events()):] {
		if err := try.Define(info); err != nil {
			return err
		}
	}
	return try.Add(h)
}

// Registered lists the hooks that were added for a workspace, in the order of
// their ids.
func (w *Workspace) registered() []hook.Hook {
	var out []hook.Hook
	for _, h := range w.Engine.All() {
		if strings.HasPrefix(h.ID, Registered) {
			out = append(out, h)
		}
	}
	return out
}

// Registered counts the hooks that were added from outside, which would be lost
// with the process.
func (j *Judge) Registered() int { return int(j.registry.count.Load()) }

// scope is the nearest folder above, for which hooks were added; "" if there is
// none. It stands for the workspace where there is none.
func (r *registry) scope(dir string) string {
	if dir == "" || r.count.Load() == 0 {
		return ""
	}
	dir = disk.Real(dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	nearest := ""
	for _, reg := range r.hooks {
		if reg.dir != "" && within(reg.dir, dir) && len(reg.dir) > len(nearest) {
			nearest = reg.dir
		}
	}
	return nearest
}

// meets reports whether a registration is for the events of a warm workspace.
func (reg *registration) meets(e *entry) bool {
	switch {
	case reg.dir == "":
		return true
	case e.folder != "" && within(e.folder, reg.dir):
		return true
	case e.folder != "": // one that came to be below, perhaps by the hand of who is to be watched
		return reg.bare && within(reg.dir, e.folder)
	}
	return e.scope != "" && within(reg.dir, e.scope)
}

// add puts a hook into all engines that it is for.
func (r *registry) add(reg *registration, log func(string)) (replaced bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.hooks, func(old *registration) bool { return old.dir == reg.dir && old.hook.ID == reg.hook.ID })
	switch {
	case i >= 0:
		r.hooks[i] = reg
	case len(r.hooks) >= maxRegistered:
		return false, fmt.Errorf("%d hooks are registered, and no more are taken; unregister some", maxRegistered)
	default:
		r.hooks = append(r.hooks, reg)
		r.count.Add(1)
	}
	for e := range r.entries {
		r.put(reg, e, log)
	}
	r.generation.Add(1)
	return i >= 0, nil
}

// put has the engine of a warm workspace run a hook. The caller holds mu.
func (r *registry) put(reg *registration, e *entry, log func(string)) {
	if !reg.meets(e) || r.nearer(reg, e) {
		return
	}
	if _, err := e.engine.Replace(reg.hook); err != nil {
		log(fmt.Sprintf("a registered hook does not run in %s: %v", e.folder, err))
	}
}

// nearer reports whether another hook of the same id is for the workspace alone,
// which then runs in place of this one.
func (r *registry) nearer(reg *registration, e *entry) bool {
	return slices.ContainsFunc(r.hooks, func(other *registration) bool {
		return other.hook.ID == reg.hook.ID && len(other.dir) > len(reg.dir) && other.meets(e)
	})
}

// remove takes a hook away, unless another is in its place already.
func (r *registry) remove(reg *registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.hooks, reg)
	if i < 0 {
		return
	}
	r.hooks = slices.Delete(r.hooks, i, i+1)
	r.count.Add(-1)
	for e := range r.entries {
		if !reg.meets(e) || r.nearer(reg, e) {
			continue
		}
		e.engine.Remove(reg.hook.ID)
		for _, other := range r.hooks { // one that is for more workspaces comes to run again
			if other.hook.ID == reg.hook.ID {
				r.put(other, e, func(string) {})
			}
		}
	}
	r.generation.Add(1)
}

// join has a workspace that became warm run the hooks that are for it.
func (r *registry) join(e *entry, log func(string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil {
		r.entries = map[*entry]bool{}
	}
	r.entries[e] = true
	for _, reg := range r.hooks {
		r.put(reg, e, log)
	}
}

// leave forgets a workspace.
func (r *registry) leave(e *entry) {
	r.mu.Lock()
	delete(r.entries, e)
	r.mu.Unlock()
}
