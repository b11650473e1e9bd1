package main

import (
	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/judge"
)

// dial makes the handler of a hook that is registered with a target.
func dial(log func(string)) func(target string, h hook.Hook) (api.Closing, error) {
	return func(target string, h hook.Hook) (api.Closing, error) {
		return rpc.New(rpc.Config{Target: target, Hook: h.ID, Profile: h.Profile, Environ: command.Environ, Log: log})
	}
}

// openDoors makes what answers other programs than agents.
func openDoors(j *judge.Judge, c api.Config) *api.Doors {
	c.Engine, c.Lister, c.Log, c.Dial = j, j, j.Log, dial(j.Log)
	return api.New(c)
}
