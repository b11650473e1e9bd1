package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Late is a hook that a script registered after it had been described: in a
// handler, in a timer. It lives in one machine, and ends with it.
type Late struct {
	Registered
	p *Program
	m *machine
}

// Handler returns the hook. It does not keep the program open.
func (l *Late) Handler(o Options) *Handler {
	return &Handler{p: l.p, index: l.Index, o: o, m: l.m}
}

// late are the hooks of a program that came, or went, after it was described.
type late struct {
	known int      // hooks that the description has; -1: it was not described yet
	ids   []string // of those, by index
	hooks []*Late  // in the order in which they came
}

// describedAs keeps what the description says, so that what comes later is distinguished from it.
func (p *Program) describedAs(ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late.ids = ids
}

// knows counts what the first description has: later ones change nothing.
func (p *Program) knows(slots int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late.known < 0 {
		p.late.known = slots
	}
}

// lateRegister takes a hook that a machine registers: [index, options].
func lateRegister(m *machine, args []json.RawMessage) (any, error) {
	var index int
	var options map[string]any
	if len(args) != 2 || json.Unmarshal(args[0], &index) != nil || json.Unmarshal(args[1], &options) != nil {
		return nil, errors.New("what is registered cannot be read")
	}
	p := m.p
	p.mu.Lock()
	if p.late.known < 0 || index < p.late.known || p.closed {
		p.mu.Unlock()
		return nil, nil // the description has it, or there is no call
	}
	taken := map[string]bool{}
	for _, id := range p.late.ids {
		taken[id] = true
	}
	for _, other := range p.late.hooks {
		if other.m == m {
			taken[other.ID] = true
		}
	}
	hook := &Late{Registered: p.registered(index, options, taken), p: p, m: m}
	first := p.late.owner(hook.ID) == nil // else another machine, which read the same file, has it
	p.late.hooks = append(p.late.hooks, hook)
	p.mu.Unlock()
	if first && p.c.Registered != nil {
		return nil, p.c.Registered(hook)
	}
	return nil, nil
}

// owner is the first hook of an id: the one that is asked.
func (l *late) owner(id string) *Late {
	for _, h := range l.hooks {
		if h.ID == id {
			return h
		}
	}
	return nil
}

// lateUnregister takes a hook out that the script does not want any more: [index].
func lateUnregister(m *machine, args []json.RawMessage) (any, error) {
	var index int
	if len(args) != 1 || json.Unmarshal(args[0], &index) != nil {
		return nil, errors.New("what is unregistered cannot be read")
	}
	p := m.p
	p.mu.Lock()
	if index < p.late.known && index < len(p.late.ids) {
		id := p.late.ids[index]
		p.mu.Unlock()
		p.unregistered(id)
		return nil, nil
	}
	p.mu.Unlock()
	p.drop(func(h *Late) bool { return h.m == m && h.Index == index })
	return nil, nil
}

func (p *Program) unregistered(id string) {
	if p.c.Unregistered != nil {
		p.c.Unregistered(id)
	}
}

// drop takes late hooks out. Where another machine has the same one, that takes its place.
func (p *Program) drop(which func(*Late) bool) {
	p.mu.Lock()
	var gone []string
	for _, h := range p.late.hooks {
		if which(h) && p.late.owner(h.ID) == h {
			gone = append(gone, h.ID)
		}
	}
	p.late.hooks = slices.DeleteFunc(p.late.hooks, which)
	var heirs []*Late
	for _, id := range gone {
		if next := p.late.owner(id); next != nil && !p.closed {
			heirs = append(heirs, next)
		}
	}
	p.mu.Unlock()
	for _, id := range gone {
		p.unregistered(id)
	}
	for _, h := range heirs {
		if p.c.Registered != nil {
			if err := p.c.Registered(h); err != nil {
				p.log(p.label() + ": " + err.Error())
			}
		}
	}
}

// errLeft is the failure of a hook whose machine is gone.
var errLeft = errors.New("the hook is gone: it was registered while an event was handled, and what the script kept since was lost when it was stopped")

// callHere asks a hook that lives in one machine.
func (m *machine) callHere(ctx context.Context, index int, event string) (string, error) {
	for {
		text, err := m.ask(ctx, index, event)
		if !errors.Is(err, errGone) {
			return text, err
		}
		m.mu.Lock()
		closed := m.closed
		m.mu.Unlock()
		if closed || m.finishing.Load() {
			return "", fmt.Errorf("%s: %w", m.p.label(), errLeft)
		}
	}
}
