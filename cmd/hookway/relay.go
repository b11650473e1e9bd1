package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/wire/call"
)

// person is the name of the one at the keyboard.
const person = relay.Person

// relayDir is where messages are kept.
func (a *app) relayDir() (string, error) {
	_, state, err := config.Places(a.getenv)
	return filepath.Join(state, "relay"), err
}

// openRelay opens the store of this user's messages.
func (a *app) openRelay(ctx context.Context) (*relay.Store, error) {
	dir, err := a.relayDir()
	if err != nil {
		return nil, err
	}
	r, err := config.RelayOf(a.getenv)
	if err != nil {
		return nil, err
	}
	first := !relay.Exists(dir)
	store, err := relay.Open(ctx, dir, relay.Options{Machine: r.Machine, Limits: relay.Limits{
		PerMinute: r.Limits.PerMinute, PingPong: r.Limits.PingPong, Hops: r.Limits.Hops, Inbox: r.Limits.Inbox,
	}, Wake: a.wake})
	if err != nil {
		return nil, err
	}
	if err := fillChannels(ctx, store, r.Channels); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if first {
		a.tellDaemon(ctx, pokeTime)
	}
	return store, nil
}

// wake tells the sessions of agents that something has come for them.
func (a *app) wake(ctx context.Context, agents []string) {
	if dir, err := a.rosterDir(); err == nil { // else they look by themselves
		roster.Poke(ctx, dir, agents)
	}
}

// tellDaemon tells a daemon that is there that something was sent: agents that nobody
// wraps, whom it knows, join then, and programs that wait for messages in it look.
func (a *app) tellDaemon(ctx context.Context, most time.Duration) {
	if a.home.Lasting { // this is the daemon, or one that is not asked for names
		return
	}
	at, err := call.Find(a.getenv)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	client, err := daemon.Dial(ctx, at.Socket)
	if err != nil { // none runs, so nobody waits in it
		return
	}
	defer client.Close()
	_, _, _ = client.Ask(ctx, http.MethodPost, "/v1/relay/poke", nil)
}

// fillChannels has agents join the channels that the configuration puts them into.
// One that is not known yet joins as soon as it is.
func fillChannels(ctx context.Context, store *relay.Store, wanted map[string][]string) error {
	if len(wanted) == 0 {
		return nil
	}
	there, err := store.Channels(ctx)
	if err != nil {
		return err
	}
	for name, members := range wanted {
		at := slices.IndexFunc(there, func(c relay.Channel) bool { return strings.EqualFold(c.Name, name) })
		for _, member := range members {
			if at >= 0 && slices.ContainsFunc(there[at].Members, func(m string) bool { return strings.EqualFold(m, member) }) {
				continue
			}
			var unknown *relay.UnknownError
			if err := store.JoinChannel(ctx, name, member); err != nil && !errors.As(err, &unknown) {
				return err
			}
		}
	}
	return nil
}

// withRelay opens the store for one command.
func (a *app) withRelay(ctx context.Context, do func(*relay.Store) error) error {
	store, err := a.openRelay(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// linked reports whether there are other machines to hear of.
func (a *app) linked() bool {
	r, err := config.RelayOf(a.getenv)
	return err == nil && (r.NATS != "" || r.Leaf.Listen != "" || len(r.Leaf.Remotes) > 0)
}

// Bounds of hearing of other machines.
const (
	hearTime  = 2 * time.Second // how long a first one is waited for, from the daemon's start on
	hearEvery = 50 * time.Millisecond
)

// hearOthers has a daemon run where there are other machines, of which nothing is
// known without one, and waits a moment for the first of them.
func (a *app) hearOthers(ctx context.Context) {
	if !a.linked() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	v, _ := buildVersion()
	if _, err := daemonStatus(ctx, a.getenv, v); errors.Is(err, daemon.ErrNone) {
		if err := a.pokeRelay(ctx); err != nil {
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

// pokeTime bounds how long a daemon may take to be told of messages, its start
// included.
const pokeTime = 10 * time.Second

// errDaemonOff says why nothing carries messages to other machines.
var errDaemonOff = errors.New("HOOKWAY_DAEMON=off and no daemon runs, so that nothing carries messages to other machines; hookway serve does")

// tellTime bounds how long a daemon is told what it need not know: who waits in it
// looks by themselves.
const tellTime = time.Second

// pokeRelay tells the daemon that something was sent. Where there are other machines,
// for which it carries, it is started if there is none.
func (a *app) pokeRelay(ctx context.Context) error {
	if !a.linked() {
		a.tellDaemon(ctx, tellTime)
		return nil
	}
	at, err := call.Find(a.getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pokeTime)
	defer cancel()
	client, err := a.reachDaemon(ctx, at)
	if err != nil {
		return err
	}
	defer client.Close()
	status, answer, err := client.Ask(ctx, http.MethodPost, "/v1/relay/poke", nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the daemon does not carry messages: %s", hook.LogLine(string(answer)))
	}
	if err != nil {
		return err
	}
	var said struct{ Problem string }
	if json.Unmarshal(answer, &said) == nil && said.Problem != "" {
		return fmt.Errorf("the daemon does not carry messages now: %s", hook.LogLine(said.Problem))
	}
	return nil
}

func (a *app) reachDaemon(ctx context.Context, at call.Places) (*daemon.Client, error) {
	if a.getenv("HOOKWAY_DAEMON") == "off" {
		client, err := daemon.Dial(ctx, at.Socket)
		if errors.Is(err, daemon.ErrNone) {
			err = errDaemonOff
		}
		return client, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return daemon.Start(ctx, at, executable, a.environ())
}

// postHooks are the hooks of a folder for messages.
type postHooks struct {
	app    *app
	engine *hook.Engine
	env    hook.Envelope
	record server.Recorder
}

var _ delivery.Hooks = (*postHooks)(nil)

// Sending fires MessageSending.
func (h *postHooks) Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return firePost(ctx, h, hook.MessageSending, m)
}

// Sent fires MessageSent.
func (h *postHooks) Sent(ctx context.Context, d hook.Delivery) {
	if _, err := firePost(ctx, h, hook.MessageSent, d); err != nil {
		h.app.warn("the hooks of MessageSent did not finish: %v", err)
	}
}

// Received fires MessageReceived.
func (h *postHooks) Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return firePost(ctx, h, hook.MessageReceived, m)
}

func firePost[P any](ctx context.Context, h *postHooks, point hook.Point[P], payload P) (hook.Outcome[P], error) {
	began := time.Now()
	ev := point.New(h.env, payload)
	out, err := h.engine.Fire(ctx, ev)
	if len(out.Steps) > 0 || err != nil {
		h.record(ev, out, time.Since(began), err)
	}
	if out.UserMessage != "" {
		h.app.warn("%s", out.UserMessage)
	}
	return hook.Typed[P](out), err
}

// openPostHooks opens the hooks of the folder that we are in. done waits for those
// that observe.
func (a *app) openPostHooks(ctx context.Context, env hook.Envelope) (h *postHooks, done func() error, err error) {
	options := a.home.Options()
	options.TrustedOnly = true
	w, err := a.home.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	record, recorded := a.home.Recorder(w, func(line string) { a.warn("%s", line) })
	return &postHooks{app: a, engine: w.Engine, env: env, record: record}, func() error {
		defer recorded()
		return w.Close()
	}, nil
}

// keyboard is the session of the one who sits at the keyboard under a name.
func keyboard(name string) string { return "keyboard-" + strings.ToLower(name) }

// sit takes the place of the caller at an inbox, for as long as a command runs.
func (a *app) sit(ctx context.Context, store *relay.Store, name string) (*relay.Seat, error) {
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
