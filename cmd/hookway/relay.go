package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
)

// person is the name of the one at the keyboard.
const person = relay.Person

// Bounds of hearing of other machines.
const (
	hearTime  = 2 * time.Second // how long a first one is waited for, from the daemon's start on
	hearEvery = 50 * time.Millisecond
)

// hearOthers has a daemon run where there are other machines, of which nothing is
// known without one, and waits a moment for the first of them.
func (a *app) hearOthers(ctx context.Context) {
	if !a.home.Linked() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	v, _ := buildVersion()
	if _, err := daemonStatus(ctx, a.getenv, v); errors.Is(err, daemon.ErrNone) {
		if err := a.home.NotifyRelay(ctx); err != nil {
			a.warn("nothing is heard of other machines: %v", err)
			return
		}
	}
	look := time.NewTicker(hearEvery)
	defer look.Stop()
	for {
		st, err := daemonStatus(ctx, a.getenv, v)
		if err != nil || st.Relay == nil || len(st.Relay.Peers) > 0 || st.UptimeS >= int64(hearTime/time.Second) {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// self is the agent in whose session this is called, or the one at the keyboard.
func (a *app) self() (name string, agent bool) {
	if name := a.getenv("HOOKWAY_AGENT"); name != "" {
		return name, true
	}
	return person, a.getenv("HOOKWAY_SESSION") != ""
}

// keyboard is the session of the one who sits at the keyboard under a name.
func keyboard(name string) string { return "keyboard-" + strings.ToLower(name) }

// sit takes the place of the caller at an inbox, for as long as a command runs.
func (a *app) sit(ctx context.Context, store *relay.Store, name string) (*relay.Consumer, error) {
	p := relay.Presence{Session: a.getenv("HOOKWAY_SESSION"), Name: name, Program: "hookway", CWD: server.Cwd(), Kind: relay.KindMCP}
	if self, agent := a.self(); !agent || self != name {
		p.Session, p.Kind = keyboard(name), relay.KindPerson
	}
	if p.Session == "" { // of an agent that nobody wraps, which knows its name only
		all, err := store.Agents(ctx)
		if err != nil {
			return nil, err
		}
		p.Session = keyboard(name)
		for _, one := range all {
			if one.Running && one.Machine == store.Machine() && strings.EqualFold(one.Name, name) {
				p.Session = one.Session
			}
		}
	}
	return store.Join(ctx, p)
}

// appear makes the one at the keyboard known under a name, so that they can be
// answered.
func (a *app) appear(ctx context.Context, store *relay.Store, name string) error {
	seat, err := a.sit(ctx, store, name)
	if err != nil {
		return err
	}
	return seat.Close()
}
