package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/custom"
	"github.com/hookway/hookway/internal/memory/mem0"
	"github.com/hookway/hookway/internal/memory/qdrant"
	"github.com/hookway/hookway/internal/memory/remote"
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

// backendPlan is what is needed to open a backend: the configuration, with keys.
type backendPlan struct {
	config.Memory
	keys map[string]string // by the names of their variables
	ask  custom.Ask        // of a custom one
	log  *slog.Logger
}

// The variables that hold keys unless others are named.
const (
	mem0Key   = "MEM0_API_KEY"
	qdrantKey = "QDRANT_API_KEY"
	openAIKey = "OPENAI_API_KEY"
)

// plan is a configuration with the keys that it takes from an environment: that of
// the agent whose memories they are, or else ours.
func (m *Memories) plan(ctx context.Context, c *config.Memory) backendPlan {
	p := backendPlan{Memory: config.Memory{Backend: config.MemoryBuiltin}, keys: map[string]string{}}
	if c != nil {
		p.Memory = *c
	}
	names := []string{mem0Key, qdrantKey, openAIKey}
	if p.Embedder != nil {
		names = append(names, p.Embedder.KeyEnv)
	}
	if p.VectorStore != nil {
		names = append(names, p.VectorStore.KeyEnv)
	}
	if p.Mem0 != nil {
		names = append(names, p.Mem0.KeyEnv)
	}
	for _, name := range names {
		if name != "" {
			p.keys[name] = cmp.Or(command.Getenv(command.Environ(ctx), name), m.home.Getenv(name))
		}
	}
	return p
}

// mark is equal for plans of the same memories.
func (p *backendPlan) mark() string {
	m := p.Memory
	m.AutoSave, m.PromptOnEnd, m.Inject, m.Budget, m.Place = false, false, false, 0, ""
	keys := p.keys
	if p.Backend == config.MemoryBuiltin && p.Embedder == nil {
		keys = nil
	}
	data, err := json.Marshal([]any{m, keys})
	if err != nil { // it is made of texts and numbers
		data = nil
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// open opens the backend. What keeps memories elsewhere gets an outbox here.
func (p *backendPlan) open(ctx context.Context, h *Home) (memory.Backend, error) {
	if p.Broken != "" {
		return nil, fmt.Errorf("it is not known where memories are: %s; hookway list shows them", p.Broken)
	}
	switch p.Backend {
	case config.MemoryMem0:
		b, err := p.openMem0()
		if err != nil {
			return nil, err
		}
		return p.outbox(h, b)
	case config.MemoryQdrant:
		b, err := p.openQdrant(cmp.Or(p.User, userName()), qdrant.DefaultCollection, nil)
		if err != nil {
			return nil, err
		}
		return p.outbox(h, b)
	case config.MemoryCustom:
		return p.outbox(h, custom.New(p.ask))
	}
	store, err := h.Memories().openStore(ctx)
	if err != nil || p.Embedder == nil {
		return store, err
	}
	e, space, err := p.embedding(nil).Open()
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	store.Use(e, space)
	return store, nil
}

// limit keeps the memories of other workspaces from an embedder that a workspace
// has named.
func (p *backendPlan) limit(b memory.Backend, workspace string) {
	if store, ok := b.(*memory.Store); ok && p.Own {
		store.Only(workspace)
	}
}

// openMem0 opens what the configuration means by mem0: a server, the platform, or
// what its library would do with a vector store and an embedder.
func (p *backendPlan) openMem0() (memory.Backend, error) {
	server := p.Mem0
	if server == nil {
		server = &config.Mem0{}
	}
	name := cmp.Or(server.KeyEnv, mem0Key)
	key := p.keys[name]
	if server.URL == "" && (p.VectorStore != nil || p.Embedder != nil && key == "") {
		plain := false // mem0 puts nothing before a text
		if p.Embedder == nil && p.keys[openAIKey] != "" {
			p.Embedder = &config.Embedder{Provider: "openai"} // which is what mem0 takes
		}
		return p.openQdrant(cmp.Or(p.User, userName()), "mem0", &plain)
	}
	if server.URL == "" && key == "" {
		return nil, fmt.Errorf("memory says backend: mem0, and it is not known where that is; for its platform, set $%s; for a server of your own, write mem0: {url: http://localhost:8888}; for what its library would do, write vectorStore: {provider: qdrant, url: http://localhost:6333}", name)
	}
	return mem0.New(mem0.Config{
		Client: remote.Client{URL: server.URL, Key: name, Timeout: p.Timeout}, Key: key, User: cmp.Or(p.User, userName()), Infer: server.Infer,
	}), nil
}

// openQdrant opens a collection.
func (p *backendPlan) openQdrant(owner, collection string, prefix *bool) (memory.Backend, error) {
	at := p.VectorStore
	if at == nil {
		at = &config.VectorStore{}
	}
	name := cmp.Or(at.KeyEnv, qdrantKey)
	c := qdrant.Config{
		Client:     remote.Client{URL: cmp.Or(at.URL, "http://localhost:6333"), Key: name, Timeout: p.Timeout, Header: http.Header{}},
		Collection: cmp.Or(at.Collection, collection), User: owner, Log: p.log,
	}
	if key := p.keys[name]; key != "" {
		c.Client.Header.Set("api-key", key)
	}
	if p.Embedder != nil {
		e, _, err := p.embedding(prefix).Open()
		if err != nil {
			return nil, err
		}
		c.Embedder = e
	}
	return qdrant.New(c), nil
}

// embedding is the embedder as it is configured.
func (p *backendPlan) embedding(prefix *bool) memory.Embedding {
	e := p.Embedder
	key := cmp.Or(e.KeyEnv, openAIKey)
	if e.Provider == "ollama" {
		key = e.KeyEnv
	}
	if e.Prefix != nil {
		prefix = e.Prefix
	}
	return memory.Embedding{Provider: e.Provider, Model: e.Model, URL: e.URL, Dims: e.Dims, Prefix: prefix, Key: p.keys[key], Timeout: p.Timeout}
}

// outbox puts a file before a backend that may be down.
func (p *backendPlan) outbox(h *Home, b memory.Backend) (memory.Backend, error) {
	dir, err := h.Memories().dir()
	if err != nil {
		return nil, err
	}
	o := memory.NewOutbox(b, filepath.Join(dir, "outbox-"+p.target()+".db"))
	o.Log = p.log
	return o, nil
}

// target names where memories go, without keys: what waits for it stays when a key
// is changed.
func (p *backendPlan) target() string {
	m := config.Memory{Backend: p.Backend, User: p.User, VectorStore: p.VectorStore, Mem0: p.Mem0}
	if p.Backend == config.MemoryCustom {
		m.Place = p.Place
	}
	data, err := json.Marshal(m)
	if err != nil { // it is made of texts
		data = nil
	}
	sum := sha256.Sum256(data)
	return p.Backend + "-" + hex.EncodeToString(sum[:6])
}

// userName is whose memories they are in services that ask for it.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return filepath.Base(filepath.ToSlash(u.Username)) // DOMAIN\name
	}
	return "hookway"
}

// dir is the folder of what is remembered.
func (m *Memories) dir() (string, error) { return m.home.folder("memory") }

// openStore opens the file of this user.
func (m *Memories) openStore(ctx context.Context) (*memory.Store, error) {
	dir, err := m.dir()
	if err != nil {
		return nil, err
	}
	return memory.Open(ctx, filepath.Join(dir, "memory.db"))
}

// Embedded opens the memories of the folder where we are, whose vectors the configured
// embedder makes.
func (m *Memories) Embedded(ctx context.Context) (*memory.Store, error) {
	options := m.options(Cwd())
	set, err := config.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	p := m.plan(ctx, set.Settings.Memory)
	if err := set.Close(); err != nil {
		return nil, err
	}
	if p.Embedder == nil || p.Backend != config.MemoryBuiltin {
		return nil, errors.New("no embedder is configured; set memory.embedder in hookway.yaml, as in {provider: ollama, model: nomic-embed-text}")
	}
	workspace, err := m.ProjectAt(options, Cwd())
	if err != nil {
		return nil, err
	}
	opened, err := p.open(ctx, m.home)
	if err != nil {
		return nil, err
	}
	p.limit(opened, workspace)
	store, ok := opened.(*memory.Store)
	if !ok { // only the builtin backend has vectors of ours
		return nil, errors.Join(errors.New("these memories have no vectors here"), opened.Close())
	}
	return store, nil
}

// options are those by which the configuration of memory is read.
func (m *Memories) options(dir string) config.Options {
	options := m.home.Options()
	options.Dir, options.MemoryHooks = dir, nil
	return options
}

// asker fires MemoryRequest at the hooks of a folder.
func asker(engine *hook.Engine, dir string) custom.Ask {
	return func(ctx context.Context, payload map[string]any) (out hook.Outcome[any], err error) {
		info, err := engine.Lookup(config.MemoryRequest)
		if err != nil {
			return out, err
		}
		agent, _ := payload["agent_name"].(string)
		ev, err := info.New(hook.Envelope{Agent: agent, Source: "memory", CWD: dir}, payload)
		if err != nil {
			return out, err
		}
		return engine.Fire(ctx, ev)
	}
}

// lentMemory is what a server holds as long as it serves.
type lentMemory struct{ *HeldMemory }

// Close gives it back.
func (l lentMemory) Close() error {
	l.Done()
	return nil
}

// Lend opens the memories of a workspace for a server.
func (m *Memories) Lend(workspace string) func(context.Context) (memory.Backend, error) {
	return func(ctx context.Context) (memory.Backend, error) {
		m.home.Lasting = true
		held, err := m.At(ctx, workspace)
		if err != nil {
			return nil, err
		}
		return lentMemory{held}, nil
	}
}

// ProjectAt is the workspace in which a folder lies, or else its project.
func (m *Memories) ProjectAt(options config.Options, dir string) (string, error) {
	at, err := config.Locate(options)
	if err != nil {
		return "", err
	}
	if at.Workspace != "" {
		return at.Workspace, nil
	}
	return projectOf(disk.Real(dir)), nil
}

// projectOf is the nearest folder upwards that is under version control, or else
// the folder itself.
func projectOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
