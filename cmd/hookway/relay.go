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

// Bounds of waiting for other machines.
const (
	peerTime  = 2 * time.Second // how long a first one is waited for, from the daemon's start on
	peerEvery = 50 * time.Millisecond
)

// awaitPeers has a daemon run if other machines are configured, of which nothing is
// known without one, and waits a moment for the first of them.
func (a *app) awaitPeers(ctx context.Context) {
	if !a.home.Linked() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, peerTime)
	defer cancel()
	v, _ := buildVersion()
	if _, err := daemonStatus(ctx, a.getenv, v); errors.Is(err, daemon.ErrNone) {
		if err := a.home.NotifyRelay(ctx); err != nil {
			a.warn("nothing is known of other machines: %v", err)
			return
		}
	}
	look := time.NewTicker(peerEvery)
	defer look.Stop()
	for {
		st, err := daemonStatus(ctx, a.getenv, v)
		if err != nil || st.Relay == nil || len(st.Relay.Peers) > 0 || st.UptimeS >= int64(peerTime/time.Second) {
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

// openInbox opens an inbox for the caller, for as long as a command runs.
func (a *app) openInbox(ctx context.Context, store *relay.Store, name string) (*relay.Consumer, error) {
	p := relay.Presence{Session: a.getenv("HOOKWAY_SESSION"), Name: name, Program: "hookway", CWD: server.Cwd(), Kind: relay.KindMCP}
	if self, agent := a.self(); !agent || self != name {
		p.Session, p.Kind = keyboard(name), relay.KindPerson
	}
	if p.Session == "" { // of an agent that is not wrapped, which knows its name only
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

// register makes the one at the keyboard known under a name, so that they can be
// answered.
func (a *app) register(ctx context.Context, store *relay.Store, name string) error {
	inbox, err := a.openInbox(ctx, store, name)
	if err != nil {
		return err
	}
	return inbox.Close()
}
