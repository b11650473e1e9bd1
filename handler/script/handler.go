package script

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/wire"
)

// Main is the index of a script's default function. OpenClaw is that, too, called as
// OpenClaw calls the handler of a hook: with one of its four contexts.
const (
	Main     = -1
	OpenClaw = -2
)

// maxAnswer bounds what a script may answer.
const maxAnswer = 2 << 20

// Options say how events are handed to a hook, and its answers read.
type Options struct {
	Profile    hook.Profile
	EventNames map[string]string // by canonical name, the hook_event_name that it gets

	// TextPasses makes text that a program prints, and that is not JSON, no opinion;
	// see wire.Answer.
	TextPasses bool
}

// Handler is one hook of a program. It may be used from many goroutines.
type Handler struct {
	p      *Program
	index  int
	o      Options
	m      *machine // the only one that has it; nil: any
	inner  bool     // a function of m, for an event that the script fired
	closed atomic.Bool
}

var _ hook.Handler = (*Handler)(nil)

// Handler returns a hook of the program: Main, or the index of a registered one.
// It keeps the program open until it is closed.
func (p *Program) Handler(index int, o Options) *Handler {
	p.mu.Lock()
	p.refs++
	p.closed = false
	p.mu.Unlock()
	return &Handler{p: p, index: index, o: o}
}

// New makes a handler of the default function that a file exports.
func New(file string, c Config, o Options) (*Handler, error) {
	b, err := Build(file, c.Root, append([]Grant{}, c.Allow...)...)
	if err != nil {
		return nil, err
	}
	p := Open(b, c)
	defer p.Close() // the handler keeps it
	return p.Handler(Main, o), nil
}

// Handle asks the script about an event. If the context ends first, it returns
// at once with the context's error, and the script is stopped.
func (h *Handler) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := ctx.Err(); err != nil {
		return hook.Decision{}, err
	}
	if h.closed.Load() {
		return hook.Decision{}, ErrClosed
	}
	parts, err := wire.EncodeAs(ev, h.o.EventNames)
	if err != nil {
		return hook.Decision{}, fmt.Errorf("%s: %w", h.p.label(), err)
	}
	event := joined(parts)
	if h.p.b.Program && !h.inner {
		return h.program(ctx, ev, event)
	}
	ask := h.p.call
	switch {
	case h.inner:
		ask = h.m.askWithin
	case h.m != nil:
		ask = h.m.callHere
	}
	answer, err := ask(context.WithValue(ctx, headKey{}, ev.Head()), h.index, event)
	if err != nil {
		return hook.Decision{}, err
	}
	if len(answer) > maxAnswer {
		return hook.Decision{}, fmt.Errorf("%s: the answer has more than %d MiB; an answer is one small object", h.place(ctx), maxAnswer>>20)
	}
	if answer == "" {
		return hook.Decision{}, nil
	}
	d, err := wire.ExitDecision(ev, wire.Answer{Stdout: exact(event, answer), Profile: h.o.Profile, Warn: h.warn})
	if err != nil {
		err = fmt.Errorf("%s: %w", h.place(ctx), err)
	}
	return d, err
}

// place is where the hook's function begins, or the file if that takes too long.
func (h *Handler) place(ctx context.Context) string {
	if h.inner {
		return h.p.label()
	}
	ctx, cancel := context.WithTimeout(ctx, abortTime)
	defer cancel()
	var said struct {
		Hooks []struct{ Place any }
		Place any // of Main
	}
	text, err := h.p.describe(ctx)
	if err != nil || json.Unmarshal([]byte(text), &said) != nil {
		return h.p.label()
	}
	at := said.Place
	if h.index >= 0 && h.index < len(said.Hooks) {
		at = said.Hooks[h.index].Place
	}
	return cmp.Or(h.p.handlerPlace(at), h.p.label())
}

func (h *Handler) warn(line string) { h.p.log(h.p.label() + ": " + line) }

// Close lets the handler's program go. Calls under way fail with ErrClosed, if
// it was the last handler; later ones always do.
func (h *Handler) Close() error {
	if h.closed.Swap(true) || h.m != nil {
		return nil
	}
	return h.p.Close()
}

// Stopped is the error of a handler that was stopped because its time was over.
type Stopped struct {
	Place string // file:line:column of where it was, if that is known
	Cause error
}

// Error says where the handler was.
func (e *Stopped) Error() string {
	if e.Place == "" {
		return "it was stopped when its time was over"
	}
	return e.Place + ": it was stopped here when its time was over; look for a loop, a recursion or a regular expression without end"
}

// Unwrap returns the context's error.
func (e *Stopped) Unwrap() error { return e.Cause }

var errNeverRead = errors.New("it is never read to its end: its top level awaits a promise that nothing can settle")

var errLate = errors.New("what its top level awaits did not come")

var errNeverSettles = errors.New("the handler's promise can never be settled: it waits, and nothing that it waits for is under way")

var errLostWith = errors.New("it waited for something while another event of the same file used up the memory, and was lost with it")

func joined(parts [][]byte) string {
	var b strings.Builder
	for _, p := range parts {
		b.Write(p)
	}
	return b.String()
}

// label names the script in errors.
func (p *Program) label() string {
	if rel, err := filepath.Rel(p.c.Root, p.b.File); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return p.b.File
}

// maxProgramOutput bounds what a program prints for one event, on each stream.
const maxProgramOutput = 2 << 20

// program asks a script that is written as a program: it reads the event, prints
// and ends, as a command does.
func (h *Handler) program(ctx context.Context, ev hook.AnyEvent, event string) (hook.Decision, error) {
	out, errs := &capped{most: maxProgramOutput}, &capped{most: maxProgramOutput}
	ctx = context.WithValue(ctx, headKey{}, ev.Head())
	env := environIn(ctx, h.p)
	project := h.p.c.Root
	env = append(append(env[:len(env):len(env)], environ.Added(ctx)...), "HOOKWAY_PROJECT_DIR="+project, "CLAUDE_PROJECT_DIR="+project)
	code, err := h.p.Run(ctx, Run{Environ: env, Stdin: bytes.NewReader([]byte(event)), Stdout: out, Stderr: errs})
	switch {
	case err != nil && ctx.Err() != nil:
		return hook.Decision{}, ctx.Err()
	case err != nil:
		return hook.Decision{}, err
	case out.over:
		return hook.Decision{}, fmt.Errorf("%s: it wrote more than %d MiB to stdout; an answer is one JSON object, logs belong on stderr", h.p.label(), maxProgramOutput>>20)
	}
	d, err := wire.ExitDecision(ev, wire.Answer{
		Stdout: out.Bytes(), Stderr: errs.Bytes(), ExitCode: code, Profile: h.o.Profile, TextPasses: h.o.TextPasses, Warn: h.warn,
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", h.p.label(), err)
	}
	if code == 0 || errors.Is(err, ErrClosed) {
		for line := range bytes.Lines(errs.Bytes()) {
			if text := hook.LogLine(string(line)); text != "" {
				h.warn(text)
			}
		}
	}
	return d, err
}

// errNoEvents is the error of a program that was named without the events that it is for.
var errNoEvents = errors.New("it is written as a program, which reads an event on stdin: name it under script: in hookway.yaml, with the events under on")
