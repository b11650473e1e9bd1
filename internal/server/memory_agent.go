package server

import (
	"context"
	"path/filepath"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/recall"
)

// How many memories an agent is given at once.
const (
	foundMost  = 10
	listedMost = 20
	recentMost = 5 // where nothing is about what was asked
)

// agentMemory is what an agent remembers that works in a folder. Nothing is opened
// before it is asked: most sessions never do.
type agentMemory struct {
	memories            *Memories
	dir, agent, session string
}

// For gives the memory of an agent that works in a folder.
func (m *Memories) For(dir, agent, session string) hook.Memory {
	return agentMemory{m, dir, agent, session}
}

func (m agentMemory) with(ctx context.Context, do func(memory.Backend, memory.View) error) error {
	held, err := m.memories.At(ctx, m.dir)
	if err != nil {
		return err
	}
	defer held.Done()
	return do(held, memory.View{Workspace: held.Workspace, Agent: m.agent})
}

// Save keeps a text for all agents of the workspace.
func (m agentMemory) Save(ctx context.Context, content string) (id string, err error) {
	err = m.with(ctx, func(b memory.Backend, v memory.View) error {
		saved, err := b.Save(ctx, memory.Memory{Text: content, Workspace: v.Workspace, Agent: m.agent, Session: m.session})
		id = saved.ID
		return err
	})
	return id, err
}

// Search finds what is about the query, the best first; if nothing is, it gives some
// of the newest, marked so. Without these the search still succeeds.
func (m agentMemory) Search(ctx context.Context, query string) (found []hook.Remembered, err error) {
	err = m.with(ctx, func(b memory.Backend, v memory.View) error {
		all, err := b.Search(ctx, query, foundMost, v)
		if found = remembered(all); err != nil || len(found) > 0 {
			return err
		}
		if all, err = memory.Recent(ctx, b, recentMost, v); err == nil {
			found = remembered(all)
		}
		for i := range found {
			found[i].Recent = true
		}
		return nil
	})
	return found, err
}

// List gives the newest.
func (m agentMemory) List(ctx context.Context) (found []hook.Remembered, err error) {
	err = m.with(ctx, func(b memory.Backend, v memory.View) error {
		all, err := b.List(ctx, listedMost, v)
		found = remembered(all)
		return err
	})
	return found, err
}

// Forget removes one.
func (m agentMemory) Forget(ctx context.Context, id string) error {
	return m.with(ctx, func(b memory.Backend, v memory.View) error { return b.Forget(ctx, id, v) })
}

func remembered(all []memory.Memory) []hook.Remembered {
	out := make([]hook.Remembered, len(all))
	for i, one := range all {
		out[i] = hook.Remembered{ID: one.ID, Content: one.Text, Agent: one.Agent, Time: one.Time}
	}
	return out
}

// Hooks makes the hooks by which memory tells agents, and keeps, something
// by itself.
func (m *Memories) Hooks(s config.Settings) config.MemoryHooks {
	return m.HooksWith(delivery.Quoted)(s)
}

// HooksWith is Hooks with what makes the texts harmless.
func (m *Memories) HooksWith(clean func(text string) string) func(config.Settings) config.MemoryHooks {
	return func(s config.Settings) config.MemoryHooks {
		dir, err := m.dir()
		if err != nil || s.Memory == nil {
			return config.MemoryHooks{}
		}
		r := &recall.Recall{
			Notes: filepath.Join(dir, "told"), Budget: s.Memory.Budget, Redact: audit.Hide(s.Redact),
			Clean: clean,
			Open: func(ctx context.Context, dir string) (recall.Place, func(), error) {
				held, err := m.At(ctx, dir)
				if err != nil {
					return recall.Place{}, nil, err
				}
				return recall.Place{Backend: held, Workspace: held.Workspace}, held.Done, nil
			},
		}
		return config.MemoryHooks{Inject: r.Inject(), Save: r.Save()}
	}
}
