package main

import (
	"context"
	"errors"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
)

// judged is a judge as the doors of the daemon have it.
type judged struct{ j *judge.Judge }

// Fire fires an event.
func (e judged) Fire(ctx context.Context, f api.Firing) (hook.Outcome[any], error) {
	out, err := e.j.Fire(ctx, judge.Firing{
		Event: f.Event, Payload: f.Payload, Session: f.Session, Agent: f.Agent, Source: f.Source, CWD: f.CWD,
		ID: f.ID, Time: f.Time, Metadata: f.Metadata, Env: f.Env, DryRun: f.DryRun, Foreign: f.Foreign,
	})
	return out, mistake(err)
}

// Register adds a hook.
func (e judged) Register(ctx context.Context, cwd string, h hook.Hook) (remove func(), replaced bool, err error) {
	remove, replaced, err = e.j.Register(ctx, cwd, h)
	return remove, replaced, mistake(err)
}

// Place is the folder that stands for those of one workspace.
func (e judged) Place(ctx context.Context, cwd string) (string, error) {
	dir, err := e.j.Place(ctx, cwd)
	return dir, mistake(err)
}

// mistake marks what is the caller's.
func mistake(err error) error {
	var wrong *judge.RequestError
	if errors.As(err, &wrong) {
		return &api.Mistake{Err: wrong}
	}
	return err
}

// Hooks lists what would run, as hookway list --json prints it.
func (e judged) Hooks(ctx context.Context, cwd string) (any, error) {
	all, err := e.j.Hooks(ctx, cwd)
	if err != nil {
		return nil, mistake(err)
	}
	hooks := make([]listed, 0, len(all.Set.Hooks)+len(all.Registered))
	for _, h := range all.Set.Hooks {
		hooks = append(hooks, list(h))
	}
	for _, h := range all.Registered {
		hooks = append(hooks, list(config.Hook{Hook: h, Kind: "registered", State: config.Active, Layer: "registered"}))
	}
	return listing(all.Set, hooks), nil
}

// Watch gives what is put on record.
func (e judged) Watch(ctx context.Context, f api.Filter) (<-chan api.Seen, error) {
	filter := judge.WatchFilter{Session: f.Session, Event: f.Event, CWD: f.CWD, After: f.After, Whole: f.Whole}
	records, err := e.j.Watch(ctx, filter)
	if err != nil {
		return nil, mistake(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	seen := make(chan api.Seen)
	var both sync.WaitGroup
	send := func(one api.Seen) bool {
		select {
		case seen <- one:
			return true
		case <-ctx.Done():
			return false
		}
	}
	if f.Hooks {
		notices := e.j.WatchHooks(ctx, filter)
		both.Go(func() {
			for {
				select {
				case n := <-notices:
					send(api.Seen{Notice: &n.Notice, Workspace: n.Workspace, Missed: uint64(n.Missed)})
				case <-ctx.Done():
					return
				}
			}
		})
	}
	both.Go(func() {
		defer cancel()
		for w, err := range records {
			if err != nil {
				e.j.Log("the log cannot be watched any more: " + err.Error())
				return
			}
			if !send(api.Seen{Record: w.Record, Missed: uint64(w.Missed)}) {
				return
			}
		}
	})
	go func() {
		both.Wait()
		close(seen)
	}()
	return seen, nil
}

// dial makes the handler of a hook that is registered with a target.
func dial(log func(string)) func(target string, h hook.Hook) (api.Closing, error) {
	return func(target string, h hook.Hook) (api.Closing, error) {
		return rpc.New(rpc.Config{Target: target, Hook: h.ID, Profile: h.Profile, Environ: command.Environ, Log: log})
	}
}

// open makes what answers other programs than agents.
func (e judged) open(c api.Config) *api.Doors {
	c.Engine, c.Lister, c.Log, c.Dial = e, e, e.j.Log, dial(e.j.Log)
	return api.New(c)
}
