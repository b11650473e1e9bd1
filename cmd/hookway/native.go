package main

import (
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/session"
)

// shareSession ties a session to the hooks that its agent calls by itself. Without
// a place to share, the begin and the end are left to the agent, and text is typed.
func shareSession(a *app, own install.Attached, id, name string) (session.AgentHooks, func()) {
	if !own.Native {
		return nil, func() {}
	}
	_, state, err := config.Places(a.getenv)
	if err == nil {
		var shared *delivery.Shared
		if shared, err = delivery.Share(state, id, name, own.Agent, a.home.Log); err == nil {
			return shared, func() { _ = shared.Close() }
		}
	}
	a.home.Log.Warn(err.Error())
	return nil, func() {}
}
