package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/wire"
)

// CloseGrace bounds how long a command waits for its hooks' processes to end.
const CloseGrace = 5 * time.Second

// Workspace is the hooks of the folder that a command acts in, ready to fire.
type Workspace struct {
	Set    *config.Set
	Engine *hook.Engine
	hooks  io.Closer // ends the hooks' processes
	ask    judge.Approvals
}

func (h *Home) Options() config.Options {
	self, _ := os.Executable() // without it, only Node itself runs Node's hooks
	return config.Options{
		Self: self, Native: adapter.NativeEvents(), ToolNames: adapter.ToolName, Sources: sources(), Agents: agents(), Getenv: h.Getenv, Managed: h.Managed,
		Memory: h.Memories().For, MemoryHooks: h.Memories().Hooks, Guards: h.Guard, Webhooks: h.Webhooks(), Log: h.Log,
	}
}

// sources are the names under which events are reported: the agents' own hooks,
// and hookway's commands.
func sources() []string {
	return append([]string{"run", "cli", "mcp", "http", "test"}, agents()...)
}

// agents are the names that events of agents' own hooks have.
func agents() (names []string) {
	for _, c := range adapter.All() {
		names = append(names, c.About().Agent)
	}
	return names
}

// Open reads the configuration and fills an engine. Mistakes in one file do not
// keep the hooks of others from running; they are written to stderr.
func (h *Home) Open(ctx context.Context, options config.Options) (*Workspace, error) {
	return h.fill(ctx, options, &hook.Engine{Operations: h.Operations(options.Log)})
}

// Look is open for a command that fires nothing: no hook runs, not even one that
// observes the others.
func (h *Home) Look(ctx context.Context, options config.Options) (*Workspace, error) {
	engine := new(hook.Engine)
	engine.Wrap(func(hook.Hook, hook.Handler) hook.Handler { return hook.Static{} })
	return h.fill(ctx, options, engine)
}

func (h *Home) fill(ctx context.Context, options config.Options, engine *hook.Engine) (*Workspace, error) {
	if err := h.checkDepth(); err != nil {
		return nil, err
	}
	set, err := config.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Set: set, Engine: engine, hooks: set, ask: h.asked}
	if err := set.Fill(w.Engine); err != nil {
		return nil, errors.Join(fmt.Errorf("the hooks cannot be used: %w", err), set.Close())
	}
	for _, line := range judge.Complaints(set) {
		fmt.Fprintln(h.Err, line)
	}
	w.watch(options.Log)
	return w, nil
}

// Operations is what hooks set in the metadata for later events, where the daemon
// and other processes of the user have it too. Nil if it has no place.
func (h *Home) Operations(log *slog.Logger) *hook.Operations {
	_, state, err := config.Places(h.Getenv)
	if err != nil {
		return nil
	}
	return judge.Operations(filepath.Join(state, "operations"), log)
}

// OpenLive is open for a command that lives longer than the files stay the
// same: its hooks follow the files until the context ends.
func (h *Home) OpenLive(ctx context.Context, options config.Options) (*Workspace, error) {
	options.TrustedOnly = true
	engine := &hook.Engine{Operations: h.Operations(options.Log)}
	live, err := config.Open(ctx, options, engine)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Set: live.Set(), Engine: engine, hooks: live, ask: h.asked}
	for _, line := range judge.Complaints(w.Set) {
		fmt.Fprintln(h.Err, line)
	}
	go func() {
		first := true
		err := live.Run(ctx, func(set *config.Set) {
			if first { // what was written already
				first = false
				return
			}
			for _, line := range judge.Complaints(set) {
				options.Log.Warn(line)
			}
		})
		if err != nil {
			options.Log.Warn("changes of the configuration are not seen", logline.Err, err)
		}
	}()
	return w, nil
}

// maxDepth is how deep hooks may call hookway, which calls hooks.
const maxDepth = 8

func (h *Home) checkDepth() error {
	if depth := environ.Depth(h.Getenv(environ.DepthVariable)); depth > maxDepth {
		return fmt.Errorf("hooks that call hookway are nested %d deep; the limit is %d", depth, maxDepth)
	}
	return nil
}

// ShowWarnings prints what is left out of a configuration, or will not work.
func (h *Home) ShowWarnings(w *Workspace) {
	for _, p := range w.Set.Warnings {
		if !slices.Contains(w.Set.Skipped, p) { // written when the files were read
			fmt.Fprintln(h.Err, p.String())
		}
	}
}

// watch tells the log about hooks that fail.
func (w *Workspace) watch(log *slog.Logger) {
	w.Engine.Watch(func(n hook.Notice) {
		switch n.Kind {
		case hook.HookError:
			log.Warn(fmt.Sprintf("hook %s, %s", n.Hook, n.Event), logline.Err, n.Err)
		case hook.HookDropped:
			log.Warn(fmt.Sprintf("hook %s is behind: an event %s was dropped", n.Hook, n.Event))
		}
	})
}

// Close waits for the observe lane, then ends the hooks' processes. Both waits
// are bounded.
func (w *Workspace) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), CloseGrace)
	defer cancel()
	err := w.Engine.Close(ctx)
	if closed := w.hooks.Close(); err == nil {
		err = closed
	}
	return err
}

// Fire decodes an event, fires it and puts the outcome on record.
func (w *Workspace) Fire(ctx context.Context, name string, data []byte, otherwise hook.Envelope, dry bool, record Recorder) (hook.Outcome[any], error) {
	info, err := w.Engine.Lookup(name)
	if err != nil {
		return hook.Outcome[any]{}, err
	}
	err = wire.Bounded(data)
	var ev hook.AnyEvent
	if err == nil {
		ev, err = wire.NewEvent(info, data)
	}
	if err == nil {
		err = hook.Check(ev)
	}
	if err != nil {
		return hook.Outcome[any]{}, fmt.Errorf("the payload of %s: %w", info.Name, err)
	}
	if ev, err = info.New(complete(*ev.Head(), otherwise), ev.Body()); err != nil {
		return hook.Outcome[any]{}, err
	}
	began := time.Now()
	ctx, _ = judge.Watching(ctx, ev)
	fire := w.Engine.Fire
	if !dry {
		fire = func(ctx context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
			return judge.FireSettled(ctx, w.Engine, w.Set, w.ask, ev)
		}
	}
	out, err := fire(ctx, ev)
	record(ctx, ev, out, time.Since(began), err)
	return out, err
}

// complete fills in what an envelope lacks.
func complete(env, otherwise hook.Envelope) hook.Envelope {
	for _, f := range []struct{ to, from *string }{
		{&env.Session, &otherwise.Session}, {&env.Agent, &otherwise.Agent},
		{&env.Source, &otherwise.Source}, {&env.CWD, &otherwise.CWD},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	return env
}

// Rehearse puts hooks without an opinion in place of all, so that firing shows
// who would be asked. Observers are asked like guards, to be among the steps;
// their ids are given back.
func (w *Workspace) Rehearse() (observers map[string]bool, err error) {
	observers = map[string]bool{}
	for _, h := range w.Engine.All() {
		h.Handler = hook.Static{}
		if h.Lane == hook.Observe {
			h.Lane, observers[h.ID] = hook.Guard, true
		}
		if _, err := w.Engine.Replace(h); err != nil {
			return nil, err
		}
	}
	return observers, nil
}
