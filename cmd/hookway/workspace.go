package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
)

// closeGrace bounds how long a command waits for its hooks' processes to end.
const closeGrace = 5 * time.Second

// workspace is the hooks of the folder that a command acts in, ready to fire.
type workspace struct {
	set    *config.Set
	engine *hook.Engine
}

func (a *app) options() config.Options {
	return config.Options{
		Native: adapter.NativeEvents(), Getenv: a.getenv,
		Log: func(line string) { a.warn("%s", line) },
	}
}

// open reads the configuration and fills an engine. Mistakes in one file do not
// keep the hooks of others from running; they are told on stderr.
func (a *app) open(ctx context.Context, options config.Options) (*workspace, error) {
	set, err := config.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	w := &workspace{set: set, engine: new(hook.Engine)}
	if err := set.Fill(w.engine); err != nil {
		return nil, fmt.Errorf("the hooks cannot be used: %w", err)
	}
	for _, p := range append(set.Problems, set.Warnings...) {
		fmt.Fprintln(a.err, p.String())
	}
	if n := untrusted(set); n > 0 {
		a.warn("%s", trustAdvice(set, n))
	}
	w.engine.Watch(func(n hook.Notice) {
		switch n.Kind {
		case hook.HookError:
			options.Log(fmt.Sprintf("hook %s, %s: %v", n.Hook, n.Event, n.Err))
		case hook.HookDropped:
			options.Log(fmt.Sprintf("hook %s is behind: an event %s was dropped", n.Hook, n.Event))
		}
	})
	return w, nil
}

// close waits for the observe lane, then ends the hooks' processes. Both waits
// are bounded.
func (w *workspace) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	err := w.engine.Close(ctx)
	if closed := w.set.Close(); err == nil {
		err = closed
	}
	return err
}

func untrusted(set *config.Set) int {
	n := 0
	for _, h := range set.Hooks {
		if h.State == config.Untrusted {
			n++
		}
	}
	return n
}

func trustAdvice(set *config.Set, n int) string {
	if set.Trust.State == config.TrustChanged {
		return fmt.Sprintf("%s not run in %s: its files changed since it was trusted; look at them, then run: hookway trust", count(n, "hook does", "hooks do"), set.Workspace)
	}
	return fmt.Sprintf("%s not run in %s: the workspace is not trusted; look at them with hookway list, then run: hookway trust", count(n, "hook does", "hooks do"), set.Workspace)
}

// cwd is the folder that a command acts in.
func (a *app) cwd() string {
	dir, err := os.Getwd()
	if err != nil { // it is gone
		return ""
	}
	return dir
}
