package command

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/wire"
)

// Handler runs a program for each event, or asks a worker. It may be used from
// many goroutines at once. Close it when it is not needed any more.
type Handler struct {
	c       Config
	runner  *runner
	workers *workers // nil: one process for each event

	closing sync.Once
	closed  error
}

var _ hook.Handler = (*Handler)(nil)

// New makes a handler. Nothing is started yet, and a program that is not there
// is an error of the events: it may come and go. The error lists all that is
// wrong with the configuration.
func New(c Config) (*Handler, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c, err := c.settled()
	if err != nil {
		return nil, err
	}
	h := &Handler{c: c, runner: newRunner(c.Grace)}
	if c.Worker {
		h.workers = newWorkers(&h.c)
	}
	return h, nil
}

// Handle asks the program about an event. If the context ends first, it returns
// at once with the context's error, and the program is ended in the background;
// a worker gets a cancel instead.
func (h *Handler) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	event, err := wire.EncodeAs(ev, h.c.EventNames)
	if err != nil {
		return hook.Decision{}, fmt.Errorf("%s: %w", h.c.label(), err)
	}
	var d hook.Decision
	if h.workers != nil {
		d, err = h.askWorker(ctx, ev, event)
	} else {
		d, err = h.runOnce(ctx, ev, append(event, newline)) // a shell's read wants a whole line
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", h.c.label(), err)
	}
	return d, err
}

var newline = []byte("\n")

func (h *Handler) askWorker(ctx context.Context, ev hook.AnyEvent, event [][]byte) (hook.Decision, error) {
	data, err := h.workers.ask(ctx, event)
	if err != nil {
		return hook.Decision{}, err
	}
	return h.decode(ev, data)
}

func (h *Handler) runOnce(ctx context.Context, ev hook.AnyEvent, event [][]byte) (hook.Decision, error) {
	head := ev.Head()
	s := h.c.spec(environOf(ctx), head.CWD, append(environ.Added(ctx),
		"HOOK_ACTION=execute",
		"HOOKWAY_WORKER=",
		"HOOKWAY_EVENT="+printable(ev.Info().Name),
		"HOOKWAY_SESSION_ID="+printable(head.Session))...)
	r, err := h.runner.run(ctx, s, event)
	if err != nil {
		return hook.Decision{}, err
	}
	return h.decide(ev, r)
}

// printable takes out what an environment variable cannot hold.
func printable(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// Close ends the worker, or what is still running. Calls under way may finish
// within the grace; then they fail with ErrClosed. It returns when every process
// is reaped, or after a bounded time with an error. Later calls of Handle fail.
func (h *Handler) Close() error {
	h.closing.Do(func() {
		if h.workers != nil {
			h.closed = h.workers.close()
			return
		}
		if err := h.runner.close(); err != nil {
			h.closed = fmt.Errorf("%s: %w", h.c.label(), err)
		}
	})
	return h.closed
}

// Stats counts what happened to the handler's workers; without any, all is zero.
func (h *Handler) Stats() Stats {
	if h.workers == nil {
		return Stats{}
	}
	return h.workers.stats()
}
