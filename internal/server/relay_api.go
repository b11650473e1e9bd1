package server

import (
	"context"
	"sync"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
)

// relayAPI is the relay as programs have it that speak HTTP or gRPC with the daemon.
type relayAPI struct {
	link  *link
	judge *judge.Judge
}

var _ api.Relay = relayAPI{}

// Notify says that there is something to carry. When it returns, the agents that the
// daemon knows can be written to.
func (r relayAPI) Notify() (problem string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	r.judge.Meet(ctx)
	if err := r.link.notify(); err != nil {
		return "", err
	}
	return r.link.settled(), nil
}

// Send sends a message with the hooks of the folder that it comes from.
func (r relayAPI) Send(ctx context.Context, s api.Sending) (delivery.Sent, error) {
	store, err := r.link.open()
	if err != nil {
		return delivery.Sent{}, err
	}
	s.Message = asAgent(ctx, store, s.Message)
	hooks := judgedHooks(r.judge, judge.Firing{Session: s.Session, Agent: s.From, Source: "http", CWD: s.CWD, Foreign: s.Foreign})
	posted, err := delivery.Send(ctx, store, hooks, s.Message)
	if err != nil {
		return posted, err
	}
	return posted, r.link.notify()
}

// Receipts gives a message and how far it is.
func (r relayAPI) Receipts(ctx context.Context, id string) (relay.Message, []relay.Receipt, error) {
	store, err := r.link.open()
	if err != nil {
		return relay.Message{}, nil, err
	}
	return store.Receipts(ctx, id)
}

// Page gives messages, whoever they are from and for.
func (r relayAPI) Page(ctx context.Context, q relay.PageQuery) (relay.Page, error) {
	store, err := r.link.open()
	if err != nil {
		return relay.Page{}, err
	}
	return store.Page(ctx, q)
}

// Agents gives all that are known.
func (r relayAPI) Agents(ctx context.Context) ([]relay.Agent, error) {
	store, err := r.link.open()
	if err != nil {
		return nil, err
	}
	return store.Agents(ctx)
}

// Inbox gives what is and was for an agent.
func (r relayAPI) Inbox(ctx context.Context, agent string, q relay.Query) ([]relay.Item, error) {
	store, err := r.link.open()
	if err != nil {
		return nil, err
	}
	return store.Inbox(ctx, agent, q)
}

// leases are those of the store that is open: there may be another one, when the file
// was moved away.
type leases struct {
	mu  sync.Mutex
	now *delivery.Leases
}

// of gives the leases of a store.
func (d *leases) of(store *relay.Store) *delivery.Leases {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now == nil || d.now.Store() != store {
		if before := d.now; before != nil {
			_ = before.Close() // with its store
		}
		d.now = delivery.NewLeases(store)
	}
	return d.now
}

// Close gives back what programs have, while the store is open.
func (d *leases) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now == nil {
		return nil
	}
	return d.now.Close()
}

// Take hands out what waits for an agent.
func (r relayAPI) Take(ctx context.Context, t api.Taking) (api.Leased, error) {
	store, err := r.link.open()
	if err == nil {
		err = r.link.notify() // what is on its way comes
	}
	if err != nil {
		return api.Leased{}, err
	}
	t.Hooks = func(session string) delivery.Hooks {
		return judgedHooks(r.judge, judge.Firing{Session: session, Agent: t.Agent, Source: delivery.HTTP, CWD: t.CWD, Foreign: t.Foreign})
	}
	at := r.link.leases.of(store)
	lease, err := at.Take(ctx, t.TakeRequest)
	if err != nil {
		return api.Leased{}, err
	}
	waiting, err := at.Waiting(ctx, lease)
	if err != nil {
		waiting = 0 // it is only for information
	}
	return api.Leased{Lease: lease, Machine: store.Machine(), Waiting: waiting}, nil
}

// Confirm notes what a program has got.
func (r relayAPI) Confirm(ctx context.Context, agent string, ids []string) (delivery.Confirmed, error) {
	store, err := r.link.open()
	if err != nil {
		return delivery.Confirmed{}, err
	}
	return r.link.leases.of(store).Confirm(ctx, agent, ids)
}

// asAgent says of a message whose sender takes messages over HTTP that it is an
// agent's, of the session in which it gets them: so the limits of agents hold, and an
// answer is known as one.
func asAgent(ctx context.Context, store *relay.Store, m relay.Message) relay.Message {
	if known, err := store.Known(ctx, m.From); err == nil && known.Kind == delivery.HTTP && m.Session == "" {
		m.From, m.Agent, m.Session = known.Name, true, delivery.HTTPSession(known.Name)
	}
	return m
}
