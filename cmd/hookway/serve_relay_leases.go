package main

import (
	"context"
	"sync"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
)

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
func (r relayDoor) Take(ctx context.Context, t api.Taking) (api.Handout, error) {
	store, err := r.carrier.open()
	if err == nil {
		err = r.carrier.Poke() // what is on its way comes
	}
	if err != nil {
		return api.Handout{}, err
	}
	t.Hooks = func(session string) delivery.Hooks {
		return &judgedPost{judge: r.judge, firing: judge.Firing{Session: session, Agent: t.Agent, Source: delivery.HTTP, CWD: t.CWD, Foreign: t.Foreign}}
	}
	at := r.carrier.leases.of(store)
	lease, err := at.Take(ctx, t.TakeRequest)
	if err != nil {
		return api.Handout{}, err
	}
	waiting, err := at.Waiting(ctx, lease)
	if err != nil {
		waiting = 0 // it is only told
	}
	return api.Handout{Lease: lease, Machine: store.Machine(), Waiting: waiting}, nil
}

// Confirm notes what a program has got.
func (r relayDoor) Confirm(ctx context.Context, agent string, ids []string) (delivery.Confirmed, error) {
	store, err := r.carrier.open()
	if err != nil {
		return delivery.Confirmed{}, err
	}
	return r.carrier.leases.of(store).Confirm(ctx, agent, ids)
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
