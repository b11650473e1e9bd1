package main

import (
	"context"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
)

// relayDoor is the relay as the doors of the daemon have it.
type relayDoor struct {
	carrier *carrier
	judge   *judge.Judge
}

var _ api.Relay = relayDoor{}

// Poke says that there is something to carry. When it returns, the agents that the
// daemon knows can be written to.
func (r relayDoor) Poke() (problem string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), pokeTime)
	defer cancel()
	r.judge.Meet(ctx)
	if err := r.carrier.Poke(); err != nil {
		return "", err
	}
	return r.carrier.settled(), nil
}

// Send sends a message with the hooks of the folder that it comes from.
func (r relayDoor) Send(ctx context.Context, s api.Sending) (delivery.Sent, error) {
	store, err := r.carrier.open()
	if err != nil {
		return delivery.Sent{}, err
	}
	s.Message = asAgent(ctx, store, s.Message)
	hooks := &judgedPost{judge: r.judge, firing: judge.Firing{Session: s.Session, Agent: s.From, Source: "http", CWD: s.CWD, Foreign: s.Foreign}}
	posted, err := delivery.Send(ctx, store, hooks, s.Message)
	if err != nil {
		return posted, err
	}
	return posted, r.carrier.Poke()
}

// Receipts gives a message and how far it is.
func (r relayDoor) Receipts(ctx context.Context, id string) (relay.Message, []relay.Receipt, error) {
	store, err := r.carrier.open()
	if err != nil {
		return relay.Message{}, nil, err
	}
	return store.Receipts(ctx, id)
}

// Agents gives all that are known.
func (r relayDoor) Agents(ctx context.Context) ([]relay.Agent, error) {
	store, err := r.carrier.open()
	if err != nil {
		return nil, err
	}
	return store.Agents(ctx)
}

// Inbox gives what is and was for an agent.
func (r relayDoor) Inbox(ctx context.Context, agent string, q relay.Query) ([]relay.Item, error) {
	store, err := r.carrier.open()
	if err != nil {
		return nil, err
	}
	return store.Inbox(ctx, agent, q)
}

// judgedPost are the hooks of a folder for messages, as the daemon has them.
type judgedPost struct {
	judge  *judge.Judge
	firing judge.Firing
}

var _ delivery.Hooks = (*judgedPost)(nil)

// Sending fires MessageSending.
func (h *judgedPost) Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return fireJudged(ctx, h, hook.MessageSending, m)
}

// Sent fires MessageSent.
func (h *judgedPost) Sent(ctx context.Context, d hook.Delivery) {
	if _, err := fireJudged(ctx, h, hook.MessageSent, d); err != nil && h.judge.Log != nil {
		h.judge.Log(fmt.Sprintf("the hooks of MessageSent did not finish: %v", err))
	}
}

// Received fires MessageReceived.
func (h *judgedPost) Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return fireJudged(ctx, h, hook.MessageReceived, m)
}

func fireJudged[P any](ctx context.Context, h *judgedPost, point hook.Point[P], payload P) (out hook.Outcome[P], err error) {
	f := h.firing
	f.Event, f.Body = point.Name(), payload
	all, err := h.judge.Fire(ctx, f)
	out.Verdict, out.Payload = all.Verdict, payload
	if changed, ok := all.Payload.(P); ok {
		out.Payload = changed
	}
	return out, err
}
