package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/judge"
)

// closeGrace bounds how long a command waits for its hooks' processes to end.
const closeGrace = 5 * time.Second

// workspace is the hooks of the folder that a command acts in, ready to fire.
type workspace struct {
	set    *config.Set
	engine *hook.Engine
	hooks  io.Closer // ends the hooks' processes
}

func (a *app) options() config.Options {
	self, _ := os.Executable() // without it, only Node itself runs Node's hooks
	return config.Options{
		Self: self, Native: adapter.NativeEvents(), ToolNames: adapter.ToolName, Sources: sources(), Getenv: a.getenv,
		Memory: a.memoryFor, MemoryHooks: a.memoryHooks, Webhooks: a.webhooks(), Log: a.complain,
	}
}

// sources are the names under which events are reported: the agents' own hooks,
// and hookway's commands.
func sources() []string {
	names := []string{"run", "cli", "mcp", "http", "test"}
	for _, c := range adapter.All() {
		names = append(names, c.About().Agent)
	}
	return names
}

// open reads the configuration and fills an engine. Mistakes in one file do not
// keep the hooks of others from running; they are told on stderr.
func (a *app) open(ctx context.Context, options config.Options) (*workspace, error) {
	return a.fill(ctx, options, &hook.Engine{Operations: a.operations(options.Log)})
}

// look is open for a command that fires nothing: no hook runs, not even one that is
// told of the others.
func (a *app) look(ctx context.Context, options config.Options) (*workspace, error) {
	engine := new(hook.Engine)
	engine.Wrap(func(hook.Hook, hook.Handler) hook.Handler { return hook.Static{} })
	return a.fill(ctx, options, engine)
}

func (a *app) fill(ctx context.Context, options config.Options, engine *hook.Engine) (*workspace, error) {
	if err := a.checkDepth(); err != nil {
		return nil, err
	}
	set, err := config.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	w := &workspace{set: set, engine: engine, hooks: set}
	if err := set.Fill(w.engine); err != nil {
		return nil, errors.Join(fmt.Errorf("the hooks cannot be used: %w", err), set.Close())
	}
	for _, line := range judge.Complaints(set) {
		fmt.Fprintln(a.err, line)
	}
	w.watch(options.Log)
	return w, nil
}

// operations is what hooks set in the metadata for later events, where the daemon
// and other processes of the user have it too. Nil where there is no place for it.
func (a *app) operations(log func(string)) *hook.Operations {
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return nil
	}
	return judge.Operations(filepath.Join(state, "operations"), log)
}

// openLive is open for a command that lives longer than the files stay the
// same: its hooks follow the files until the context ends.
func (a *app) openLive(ctx context.Context, options config.Options) (*workspace, error) {
	options.TrustedOnly = true
	engine := &hook.Engine{Operations: a.operations(options.Log)}
	live, err := config.Open(ctx, options, engine)
	if err != nil {
		return nil, err
	}
	w := &workspace{set: live.Set(), engine: engine, hooks: live}
	for _, line := range judge.Complaints(w.set) {
		fmt.Fprintln(a.err, line)
	}
	go func() {
		first := true
		err := live.Run(ctx, func(set *config.Set) {
			if first { // what was told already
				first = false
				return
			}
			for _, line := range judge.Complaints(set) {
				options.Log(line)
			}
		})
		if err != nil {
			options.Log(fmt.Sprintf("changes of the configuration are not seen: %v", err))
		}
	}()
	return w, nil
}

// maxDepth is how deep hooks may call hookway, which calls hooks.
const maxDepth = 8

func (a *app) checkDepth() error {
	if depth := environ.Depth(a.getenv(environ.DepthVariable)); depth > maxDepth {
		return fmt.Errorf("hooks that call hookway are nested %d deep; the limit is %d", depth, maxDepth)
	}
	return nil
}

// showWarnings prints what is left out of a configuration, or will not work.
func (a *app) showWarnings(w *workspace) {
	for _, p := range w.set.Warnings {
		if !slices.Contains(w.set.Skipped, p) { // that was told when the files were read
			fmt.Fprintln(a.err, p.String())
		}
	}
}

// watch tells the log about hooks that fail.
func (w *workspace) watch(log func(string)) {
	w.engine.Watch(func(n hook.Notice) {
		switch n.Kind {
		case hook.HookError:
			log(fmt.Sprintf("hook %s, %s: %v", n.Hook, n.Event, n.Err))
		case hook.HookDropped:
			log(fmt.Sprintf("hook %s is behind: an event %s was dropped", n.Hook, n.Event))
		}
	})
}

// close waits for the observe lane, then ends the hooks' processes. Both waits
// are bounded.
func (w *workspace) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	err := w.engine.Close(ctx)
	if closed := w.hooks.Close(); err == nil {
		err = closed
	}
	return err
}

// cwd is the folder that a command acts in.
func (a *app) cwd() string {
	dir, err := os.Getwd()
	if err != nil { // it is gone
		return ""
	}
	return dir
}
