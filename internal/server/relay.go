package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/wire/call"
)

// RelayDir is the folder of the user's messages.
func (h *Home) RelayDir() (string, error) { return h.folder("relay") }

// OpenRelay opens the store of the user's messages.
func (h *Home) OpenRelay(ctx context.Context) (*relay.Store, error) {
	dir, err := h.RelayDir()
	if err != nil {
		return nil, err
	}
	r, err := config.RelayOf(h.Getenv)
	if err != nil {
		return nil, err
	}
	first := !relay.Exists(dir)
	store, err := relay.Open(ctx, dir, relay.Options{Machine: r.Machine, Limits: relay.Limits{
		PerMinute: r.Limits.PerMinute, PingPong: r.Limits.PingPong, Hops: r.Limits.Hops, Inbox: r.Limits.Inbox,
	}, Wake: h.wake})
	if err != nil {
		return nil, err
	}
	if err := fillChannels(ctx, store, r.Channels); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if first {
		h.notifyDaemon(ctx, notifyTime)
	}
	return store, nil
}

// WithRelay opens the store for one command.
func (h *Home) WithRelay(ctx context.Context, do func(*relay.Store) error) error {
	store, err := h.OpenRelay(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// JudgesRelay gives a judge that answers one event the messages of this user.
func (h *Home) JudgesRelay() delivery.Relay {
	dir, err := h.RelayDir()
	if err != nil {
		return delivery.Relay{}
	}
	logged := func(err error) {
		if err != nil {
			h.Log.Warn(err.Error())
		}
	}
	return delivery.Relay{
		Dir: dir,
		Open: func(ctx context.Context) (*relay.Store, func(), error) {
			store, err := h.OpenRelay(ctx)
			if err != nil {
				return nil, nil, err
			}
			return store, func() { logged(store.Close()) }, nil
		},
		Sent: func(ctx context.Context) { logged(h.NotifyRelay(ctx)) }, // the message is kept, and goes when the daemon runs
	}
}

// RosterDir is the folder in which sessions are announced. It need not be there.
func (h *Home) RosterDir() (string, error) {
	at, err := call.Find(h.Getenv)
	if err != nil {
		return "", err
	}
	if err := call.CheckDir(at.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("sessions cannot be found: %w", err)
	}
	return at.Dir, nil
}

// wake notifies the sessions of agents that a message has come for them.
func (h *Home) wake(ctx context.Context, agents []string) {
	if dir, err := h.RosterDir(); err == nil { // else they look by themselves
		roster.Notify(ctx, dir, agents)
	}
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

// Linked reports whether the configuration names other machines.
func (h *Home) Linked() bool {
	r, err := config.RelayOf(h.Getenv)
	return err == nil && (r.NATS != "" || r.Leaf.Listen != "" || len(r.Leaf.Remotes) > 0)
}

const (
	// notifyTime bounds how long a daemon may take to be notified of messages, its
	// start included.
	notifyTime = 10 * time.Second

	// tellTime bounds how long a daemon is notified that could do without: programs
	// that wait in it look by themselves.
	tellTime = time.Second
)

// ErrDaemonOff says why messages do not go to other machines.
var ErrDaemonOff = errors.New("HOOKWAY_DAEMON=off and no daemon runs, so that nothing carries messages to other machines; hookway serve does")

// NotifyRelay notifies the daemon that something was sent. If there are other machines,
// to which the daemon carries it, a daemon is started if none runs.
func (h *Home) NotifyRelay(ctx context.Context) error {
	if !h.Linked() {
		h.NotifyLocal(ctx)
		return nil
	}
	at, err := call.Find(h.Getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	client, err := h.startDaemon(ctx, at)
	if err != nil {
		return err
	}
	defer client.Close()
	status, answer, err := client.Ask(ctx, http.MethodPost, notifyPath, nil)
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

// notifyPath is where the daemon is notified.
const notifyPath = "/v1/relay/poke"

// NotifyLocal notifies a daemon that runs of a message for this machine: agents that
// are not wrapped, which it knows, join then, and programs that wait in it look.
func (h *Home) NotifyLocal(ctx context.Context) { h.notifyDaemon(ctx, tellTime) }

func (h *Home) notifyDaemon(ctx context.Context, most time.Duration) {
	if h.Lasting { // this is the daemon, or a session that need not tell it
		return
	}
	at, err := call.Find(h.Getenv)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	client, err := daemon.Dial(ctx, at.Socket)
	if err != nil { // none runs, so nothing waits in it
		return
	}
	defer client.Close()
	_, _, _ = client.Ask(ctx, http.MethodPost, notifyPath, nil)
}

// startDaemon connects to the daemon, and starts one if the user allows that.
func (h *Home) startDaemon(ctx context.Context, at call.Places) (*daemon.Client, error) {
	if h.Getenv("HOOKWAY_DAEMON") == "off" {
		client, err := daemon.Dial(ctx, at.Socket)
		if errors.Is(err, daemon.ErrNone) {
			err = ErrDaemonOff
		}
		return client, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return daemon.Start(ctx, at, executable, h.Environ())
}
