package config

import (
	"errors"
	"fmt"
	"sync"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
)

// lateHooks are the hooks of one script that come and go while it runs: they are in
// the engine from the call on in which the script registers them, and asked at the
// next event.
type lateHooks struct {
	build func(*script.Late) (hook.Hook, error)

	mu      sync.Mutex
	engine  *hook.Engine            // nil until the set runs
	names   map[string]string       // of the hooks that were described, by the script's id
	gone    map[string]bool         // of them, what was taken out before the set ran
	waiting []*script.Late          // what came before the set ran
	running map[string]*script.Late // by id in the engine
}

// registered puts a hook into the engine.
func (h *lateHooks) registered(l *script.Late) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine == nil {
		h.waiting = append(h.waiting, l)
		return nil
	}
	return h.add(l)
}

func (h *lateHooks) add(l *script.Late) error {
	one, err := h.build(l)
	if err != nil {
		return err
	}
	name := one.ID
	for n := 2; ; n++ {
		err := h.engine.Add(one)
		if err == nil {
			h.running[one.ID] = l
			return nil
		}
		if !errors.Is(err, hook.ErrDuplicate) {
			return err
		}
		one.ID = fmt.Sprintf("%s-%d", name, n)
	}
}

// unregistered takes a hook out of the engine, by the id that the script has for it.
func (h *lateHooks) unregistered(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine == nil {
		h.gone[id] = true
		for i, l := range h.waiting {
			if l.ID == id {
				h.waiting = append(h.waiting[:i], h.waiting[i+1:]...)
				return
			}
		}
		return
	}
	h.remove(id)
}

func (h *lateHooks) remove(id string) {
	for name, l := range h.running {
		if l.ID == id {
			delete(h.running, name)
			h.engine.Remove(name)
			return
		}
	}
	if name, ok := h.names[id]; ok {
		delete(h.names, id)
		h.engine.Remove(name)
	}
}

// begin has the hooks go into an engine, which has those of the set.
func (h *lateHooks) begin(e *hook.Engine, names map[string]string) (errs []error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine != nil {
		return nil
	}
	h.engine, h.names, h.running = e, names, map[string]*script.Late{}
	for id := range h.gone {
		h.remove(id)
	}
	for _, l := range h.waiting {
		errs = append(errs, h.add(l))
	}
	h.waiting, h.gone = nil, nil
	return errs
}
