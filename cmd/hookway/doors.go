package main

import (
	"context"
	"errors"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
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

// mistake marks what is the caller's.
func mistake(err error) error {
	var wrong *judge.RequestError
	if errors.As(err, &wrong) {
		return &api.Mistake{Err: wrong}
	}
	return err
}

// Watch gives what is put on record.
func (e judged) Watch(ctx context.Context, f api.Filter) (<-chan api.Seen, error) {
	records, err := e.j.Watch(ctx, judge.WatchFilter{Session: f.Session, Event: f.Event, CWD: f.CWD, After: f.After})
	if err != nil {
		return nil, err
	}
	seen := make(chan api.Seen)
	go func() {
		defer close(seen)
		for w, err := range records {
			if err != nil {
				e.j.Log("the log cannot be watched any more: " + err.Error())
				return
			}
			select {
			case seen <- api.Seen{Record: w.Record, Missed: uint64(w.Missed)}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return seen, nil
}

// open makes what answers other programs than agents.
func (e judged) open(c api.Config) *api.Doors {
	c.Engine, c.Log = e, e.j.Log
	return api.New(c)
}
