package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/memory"
)

// Memories are the backends that this process has open, and the configurations
// that say which. Both stay open, up to a number, as long as the process lives.
type Memories struct {
	home *Home

	mu     sync.Mutex
	places []*memoryPlace   // by folder, the last used first
	open   []*openedBackend // the last used first
	closed bool
}

// Bounds of what stays open.
const (
	mostPlaces   = 16
	mostBackends = 8
)

// memoryPlace is a folder, and the configuration that counts in it.
type memoryPlace struct {
	dir, workspace string
	live           *config.Live
	engine         *hook.Engine
	users          int
	gone           bool
}

// openedBackend is a backend with the plan that it was opened by.
type openedBackend struct {
	memory.Backend
	mark  string
	stop  context.CancelFunc // of what it does in the background
	users int
	gone  bool
}

// HeldMemory is a backend in use.
type HeldMemory struct {
	memory.Backend
	Workspace string
	Set       *config.Set
	Done      func()
}

// At gives the memories of a folder. The caller calls done when it is through.
func (m *Memories) At(ctx context.Context, dir string) (*HeldMemory, error) {
	p, err := m.place(ctx, dir)
	if err != nil {
		return nil, err
	}
	set, err := p.live.Refresh(ctx)
	if err != nil {
		m.leavePlace(p)
		return nil, err
	}
	plan := m.plan(ctx, set.Settings.Memory)
	plan.log, plan.ask = m.home.Options().Log, asker(p.engine, p.dir)
	b, err := m.backend(ctx, p, plan)
	if err != nil {
		m.leavePlace(p)
		return nil, err
	}
	return &HeldMemory{Backend: b.Backend, Workspace: p.workspace, Set: set, Done: sync.OnceFunc(func() {
		m.leaveBackend(b)
		m.leavePlace(p)
	})}, nil
}

// place gives the configuration of a folder.
func (m *Memories) place(ctx context.Context, dir string) (*memoryPlace, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errors.New("hookway ends; no memory is opened any more")
	}
	i := slices.IndexFunc(m.places, func(p *memoryPlace) bool { return p.dir == dir })
	if i >= 0 {
		p := m.places[i]
		m.places = slices.Insert(slices.Delete(m.places, i, i+1), 0, p)
		p.users++
		return p, nil
	}
	options := m.options(dir)
	options.TrustedOnly = m.home.Lasting
	workspace, err := m.ProjectAt(options, dir)
	if err != nil {
		return nil, err
	}
	engine := new(hook.Engine)
	live, err := config.Open(context.WithoutCancel(ctx), options, engine)
	if err != nil {
		return nil, fmt.Errorf("the configuration of memory cannot be read: %w", err)
	}
	p := &memoryPlace{dir: dir, workspace: workspace, live: live, engine: engine, users: 1}
	m.places = slices.Insert(m.places, 0, p)
	for len(m.places) > mostPlaces {
		last := m.places[len(m.places)-1]
		m.places, last.gone = m.places[:len(m.places)-1], true
		last.end()
	}
	return p, nil
}

func (m *Memories) leavePlace(p *memoryPlace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.users--
	p.end()
}

// end closes a place that is neither kept nor used.
func (p *memoryPlace) end() error {
	if !p.gone || p.users > 0 || p.live == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), CloseGrace)
	defer cancel()
	err := errors.Join(p.engine.Close(ctx), p.live.Close())
	p.live = nil
	return err
}

// backend gives the backend of a plan. A custom one belongs to its folder.
func (m *Memories) backend(ctx context.Context, p *memoryPlace, plan backendPlan) (*openedBackend, error) {
	mark := plan.mark()
	if plan.Backend == config.MemoryCustom {
		mark += p.dir
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.open, func(b *openedBackend) bool { return b.mark == mark }); i >= 0 {
		b := m.open[i]
		m.open = slices.Insert(slices.Delete(m.open, i, i+1), 0, b)
		b.users++
		plan.limit(b.Backend, p.workspace)
		return b, nil
	}
	opened, err := plan.open(context.WithoutCancel(ctx), m.home)
	if err != nil {
		return nil, err
	}
	plan.limit(opened, p.workspace)
	b := &openedBackend{Backend: opened, mark: mark, users: 1, stop: func() {}}
	if store, ok := opened.(*memory.Store); ok && plan.Embedder != nil && m.home.Lasting {
		b.follow(store, plan.log)
	}
	m.open = slices.Insert(m.open, 0, b)
	for len(m.open) > mostBackends {
		last := m.open[len(m.open)-1]
		m.open, last.gone = m.open[:len(m.open)-1], true
		last.end()
	}
	return b, nil
}

// follow makes the vectors of what is saved, until the backend is closed.
func (b *openedBackend) follow(store *memory.Store, log *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		store.Follow(ctx, func(err error) { log.Warn(err.Error()) })
	}()
	b.stop = func() {
		cancel()
		<-ended
	}
}

func (m *Memories) leaveBackend(b *openedBackend) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.users--
	b.end()
}

// end closes a backend that is neither kept nor used.
func (b *openedBackend) end() error {
	if !b.gone || b.users > 0 {
		return nil
	}
	b.stop()
	return b.Close()
}

// Close closes everything, or has its last user do that.
func (m *Memories) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	var errs []error
	for _, b := range m.open {
		b.gone = true
		errs = append(errs, b.end())
	}
	for _, p := range m.places {
		p.gone = true
		errs = append(errs, p.end())
	}
	m.open, m.places = nil, nil
	return errors.Join(errs...)
}
