package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/spf13/cobra"
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

// completeTime bounds how long the user's shell waits for names.
const completeTime = time.Second

// offer offers words to the user's shell for a flag.
func offer(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil { // the flag is one of ours
		panic(err)
	}
}

// known gives what the store of messages says to a question of the user's shell.
// Where there is no store, none is made.
func (a *app) known(ask func(context.Context, *relay.Store) []string) []string {
	dir, err := a.home.RelayDir()
	if err != nil {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	var names []string
	_ = a.home.WithRelay(ctx, func(store *relay.Store) error {
		names = ask(ctx, store)
		return nil
	})
	return names
}

func agentNames(ctx context.Context, store *relay.Store) (names []string) {
	all, _ := store.Agents(ctx)
	for _, agent := range all {
		names = append(names, address(store, agent))
	}
	return names
}

func channelNames(ctx context.Context, store *relay.Store) (names []string) {
	all, _ := store.Channels(ctx)
	for _, c := range all {
		names = append(names, "#"+c.Name)
	}
	return names
}

// address is what a message to an agent is sent to.
func address(store *relay.Store, agent relay.Agent) string {
	if agent.Machine == "" || agent.Machine == store.Machine() {
		return agent.Name
	}
	return agent.Name + "@" + agent.Machine
}

// completeReceiver offers whom a message may be for.
func (a *app) completeReceiver(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(a.known(func(ctx context.Context, store *relay.Store) []string {
		return append(agentNames(ctx, store), channelNames(ctx, store)...)
	}), "*"), cobra.ShellCompDirectiveNoFileComp
}

// completeAgent offers the names of agents, for the first argument.
func (a *app) completeAgent(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.known(agentNames), cobra.ShellCompDirectiveNoFileComp
}

// completeMachine offers the names of other machines, for a flag.
func (a *app) completeMachine(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.known(func(ctx context.Context, store *relay.Store) []string {
		names, _ := store.Machines(ctx)
		return names
	}), cobra.ShellCompDirectiveNoFileComp
}

// completeChannel offers the names of channels, for the first argument.
func (a *app) completeChannel(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.known(channelNames), cobra.ShellCompDirectiveNoFileComp
}

// completeMessage offers the ids of the last messages of the one at the keyboard.
func (a *app) completeMessage(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	name, _ := a.self()
	return a.known(func(ctx context.Context, store *relay.Store) (ids []string) {
		sent, _ := store.SentBy(ctx, name, 20)
		for _, m := range sent {
			ids = append(ids, relay.Short(m.ID))
		}
		items, _ := store.Inbox(ctx, name, relay.Query{Limit: 20})
		for _, i := range items {
			ids = append(ids, relay.Short(i.Message.ID))
		}
		return ids
	}), cobra.ShellCompDirectiveNoFileComp
}
