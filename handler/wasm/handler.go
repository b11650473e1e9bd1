package wasm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/fetch"
	"github.com/hookway/hookway/wire"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// ErrClosed is the cause of a failure when the handler was closed.
var ErrClosed = errors.New("the handler is closed")

// maxAnswer bounds what a module may answer.
const maxAnswer = 2 << 20

// Config says what a module is given. The zero value gives it nothing.
type Config struct {
	// Root is the folder from which the file is named in errors, and which the
	// module sees as its "/" if it may see files; empty is the file's.
	Root string

	Read  bool // files below Root; links that lead out of it are not followed
	Write bool // files below Root, to read and to write
	Net   bool // the network, by hookway.fetch

	// Env is the module's environment, NAME=VALUE each.
	Env []string

	// Cache is a folder of the user's own, where compiled code is kept; empty
	// compiles anew each time. Who can write there can run code as the user.
	Cache string

	// Transport makes the requests of fetch; nil is the network.
	Transport http.RoundTripper

	// Log gets what the module prints, and warnings: a record for each line, clean
	// and bounded. Nil drops them.
	Log *slog.Logger

	// Past has the module find the time of the event that it is asked about, and what has
	// gone since, in place of the clock's: it is asked about what happened then.
	Past bool

	Profile    hook.Profile
	EventNames map[string]string // by canonical name, the hook_event_name that it gets
}

// Handler asks a module. It may be used from many goroutines. Close it when it is
// not needed any more.
type Handler struct {
	m      *Module
	c      Config
	client *fetch.Client
	slots  chan struct{} // one for each instance at work

	mu       sync.Mutex
	closed   bool
	last     int
	calls    map[int]context.CancelCauseFunc
	under    sync.WaitGroup // calls, and compiling
	idle     []*instance
	compiled chan struct{} // closed when engine or failed is set; nil before the first call
	engine   *engine
	failed   error

	closing sync.Once
	ended   error
}

var _ hook.Handler = (*Handler)(nil)

// New makes a handler. The module is compiled when it is first needed.
func New(m *Module, c Config) *Handler {
	if c.Root == "" {
		c.Root = filepath.Dir(m.File)
	}
	return &Handler{
		m: m, c: c, client: fetch.New(c.Transport, maxFetched), slots: make(chan struct{}, maxInstances),
		calls: map[int]context.CancelCauseFunc{},
	}
}

// Handle asks the module about an event. When the context ends, the module is
// stopped, and the context's error returned.
func (h *Handler) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := ctx.Err(); err != nil {
		return hook.Decision{}, err
	}
	event, err := wire.EncodeAs(ev, h.c.EventNames)
	if err != nil {
		return hook.Decision{}, fmt.Errorf("%s: %w", h.label(), err)
	}
	if h.c.Past {
		ctx = context.WithValue(ctx, aheadKey{}, time.Since(ev.Time()))
	}
	answer, err := h.call(ctx, event)
	if err != nil {
		return hook.Decision{}, fmt.Errorf("%s: %w", h.label(), err)
	}
	if len(answer) == 0 {
		return hook.Decision{}, nil
	}
	d, err := wire.ExitDecision(ev, wire.Answer{Stdout: answer, Profile: h.c.Profile, Warn: h.log})
	if err != nil {
		err = fmt.Errorf("%s: %w", h.label(), err)
	}
	return d, err
}

// call hands the module an event's JSON, in pieces, and gives what it answers.
func (h *Handler) call(ctx context.Context, event [][]byte) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	id, err := h.enter(cancel)
	if err != nil {
		return nil, err
	}
	defer h.leave(id)
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, h.ending(ctx)
	}
	i, err := h.take(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := i.ask(ctx, event)
	if err != nil {
		i.close()
		if ctx.Err() != nil {
			return nil, h.ending(ctx)
		}
		return nil, i.explain(err)
	}
	h.give(i)
	return answer, nil
}

// enter notes a call, which Close waits for.
func (h *Handler) enter(cancel context.CancelCauseFunc) (id int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return 0, ErrClosed
	}
	h.last++
	h.calls[h.last] = cancel
	h.under.Add(1)
	return h.last, nil
}

func (h *Handler) leave(id int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.calls, id)
	h.under.Done()
}

// ending is the error of a call whose context has ended.
func (h *Handler) ending(ctx context.Context) error {
	if context.Cause(ctx) == ErrClosed {
		return ErrClosed
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it was stopped when its time was over; look for a loop without end, or give it more with timeout: %w", ctx.Err())
	}
	return ctx.Err()
}

// Close stops the calls under way, which fail with ErrClosed, and lets all go
// that the module has. Later calls fail.
func (h *Handler) Close() error {
	h.closing.Do(func() {
		h.mu.Lock()
		h.closed = true
		for _, cancel := range h.calls {
			cancel(ErrClosed)
		}
		h.mu.Unlock()
		h.under.Wait()
		for _, i := range h.idle {
			i.close()
		}
		h.idle = nil
		if h.engine != nil {
			h.ended = h.engine.close()
		}
		h.client.Close()
	})
	return h.ended
}

// label names the module in errors.
func (h *Handler) label() string {
	if rel, err := filepath.Rel(h.c.Root, h.m.File); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return h.m.File
}

func (h *Handler) log(line string) {
	if h.c.Log != nil {
		h.c.Log.Info(h.label() + ": " + line)
	}
}

// maxFetched bounds a request and a response.
const maxFetched = 4 << 20

// build makes the engine. Nothing in a module may take the process with it.
func (h *Handler) build(cache wazero.CompilationCache) (e *engine, err error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(features).WithMemoryLimitPages(memoryPages).WithDebugInfoEnabled(false)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	e = &engine{runtime: wazero.NewRuntimeWithConfig(ctx, config), cache: cache}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be compiled: %v", p)
		}
		if err != nil {
			e.cache = nil // it is the caller's yet
			_ = e.close() // the first error tells more
			e = nil
		}
	}()
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return e, err
	}
	if err := h.offer(ctx, e.runtime); err != nil {
		return e, err
	}
	if e.module, err = e.runtime.CompileModule(ctx, h.m.code); err != nil {
		return e, fmt.Errorf("it cannot be compiled: %s", firstLine(err.Error()))
	}
	if h.c.Read && !h.c.Write {
		if e.root, err = os.OpenRoot(h.c.Root); err != nil {
			return e, err
		}
	}
	return e, nil
}
