package main

import (
	"context"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/memory"
)

// briefMemory is what an agent remembers, for the hooks of events that come from
// no session of ours. Hooks rarely ask, so the store is opened for each question.
type briefMemory struct {
	app                 *app
	dir, agent, session string
}

// memoryFor gives the memory of an agent that works in a folder.
func (a *app) memoryFor(dir, agent, session string) hook.Memory {
	return briefMemory{a, dir, agent, session}
}

func (m briefMemory) with(ctx context.Context, do func(*memory.Store, memory.View) error) error {
	options := m.app.options()
	options.Dir = m.dir
	workspace, err := m.app.projectAt(options, m.dir)
	if err != nil {
		return err
	}
	return m.app.withMemory(ctx, func(s *memory.Store) error {
		return do(s, memory.View{Workspace: workspace, Agent: m.agent})
	})
}

// Save keeps a text for all agents of the workspace.
func (m briefMemory) Save(ctx context.Context, content string) (id string, err error) {
	err = m.with(ctx, func(s *memory.Store, v memory.View) error {
		saved, err := s.Save(ctx, memory.Memory{Text: content, Workspace: v.Workspace, Agent: m.agent, Session: m.session})
		id = saved.ID
		return err
	})
	return id, err
}

// Search finds what is about the query, the best first.
func (m briefMemory) Search(ctx context.Context, query string) (found []hook.Remembered, err error) {
	err = m.with(ctx, func(s *memory.Store, v memory.View) error {
		all, err := s.Search(ctx, query, foundMost, v)
		found = remembered(all)
		return err
	})
	return found, err
}

// List gives the newest.
func (m briefMemory) List(ctx context.Context) (found []hook.Remembered, err error) {
	err = m.with(ctx, func(s *memory.Store, v memory.View) error {
		all, err := s.List(ctx, listedMost, v)
		found = remembered(all)
		return err
	})
	return found, err
}

// Forget removes one.
func (m briefMemory) Forget(ctx context.Context, id string) error {
	return m.with(ctx, func(s *memory.Store, v memory.View) error { return s.Forget(ctx, id, v) })
}
