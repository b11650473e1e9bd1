package main

import (
	"context"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/memory"
)

// How many memories an agent is told at once.
const (
	foundMost  = 10
	listedMost = 20
)

// agentMemory is what the agent of a session remembers. The store is opened when
// it is asked for first: most sessions never do.
type agentMemory struct {
	app       *app
	agent, id string
	mu        sync.Mutex
	store     *memory.Store // nil until it was asked for
	workspace string
}

var _ hook.Memory = (*agentMemory)(nil)

// open opens the store, or gives the error again and again: a full disk may
// have room the next time.
func (m *agentMemory) open(ctx context.Context) (*memory.Store, memory.View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		workspace, err := m.app.memoryWorkspace("")
		if err != nil {
			return nil, memory.View{}, err
		}
		store, err := m.app.openMemory(context.WithoutCancel(ctx))
		if err != nil {
			return nil, memory.View{}, err
		}
		m.store, m.workspace = store, workspace
	}
	return m.store, memory.View{Workspace: m.workspace, Agent: m.agent}, nil
}

// Save keeps a text for all agents of the workspace.
func (m *agentMemory) Save(ctx context.Context, content string) (id string, err error) {
	store, view, err := m.open(ctx)
	if err != nil {
		return "", err
	}
	saved, err := store.Save(ctx, memory.Memory{Text: content, Workspace: view.Workspace, Agent: m.agent, Session: m.id})
	return saved.ID, err
}

// Search finds what is about the query, the best first.
func (m *agentMemory) Search(ctx context.Context, query string) ([]hook.Remembered, error) {
	store, view, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	found, err := store.Search(ctx, query, foundMost, view)
	return remembered(found), err
}

// List gives the newest.
func (m *agentMemory) List(ctx context.Context) ([]hook.Remembered, error) {
	store, view, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.List(ctx, listedMost, view)
	return remembered(all), err
}

// Forget removes one.
func (m *agentMemory) Forget(ctx context.Context, id string) error {
	store, view, err := m.open(ctx)
	if err != nil {
		return err
	}
	return store.Forget(ctx, id, view)
}

func remembered(all []memory.Memory) []hook.Remembered {
	out := make([]hook.Remembered, len(all))
	for i, one := range all {
		out[i] = hook.Remembered{ID: one.ID, Content: one.Text, Agent: one.Agent, Time: one.Time}
	}
	return out
}

// close closes the store, if it was opened.
func (m *agentMemory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		return nil
	}
	store := m.store
	m.store = nil
	return store.Close()
}
