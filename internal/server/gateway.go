package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
)

// openGateway has services outside come in by the mappings of the user's configuration.
// environ are the variables that may be secrets in it.
func (h *Home) openGateway(r relayAPI, environ []string) *gateway.Gateway {
	g := &gateway.Gateway{
		Load: mappings(r.judge), Send: r.postOutside, Fire: fireOutside(r.judge), NewID: relay.NewID, Log: h.Log,
		Getenv: func(name string) string { return command.Getenv(environ, name) },
	}
	g.Dir, _ = h.GatewayDir() // without one, no configuration can be read either
	return g
}

// mappings are those of the user's configuration, as it is now.
func mappings(j *judge.Judge) func(context.Context) (*gateway.Config, error) {
	return func(ctx context.Context) (*gateway.Config, error) {
		all, err := j.Hooks(ctx, "")
		if err != nil {
			return nil, err
		}
		return all.Set.Gateway, nil
	}
}

// postOutside sends a message of a service outside, with the user's own hooks.
func (r relayAPI) postOutside(ctx context.Context, m gateway.Message) (gateway.Sent, error) {
	store, err := r.link.open()
	if err != nil {
		return gateway.Sent{}, err
	}
	if m.Claimed {
		if err := store.Stranger(ctx, m.From); err != nil {
			return gateway.Sent{}, notSent(ctx, err)
		}
	}
	hooks := judgedHooks(r.judge, judge.Firing{Agent: m.From, Source: "gateway", Foreign: true})
	posted, err := delivery.Send(ctx, store, hooks, relay.Message{
		ID: m.ID, From: m.From, To: m.To, Content: m.Text, Thread: m.Thread, ReplyTo: m.ReplyTo, Priority: relay.Priority(m.Priority), Metadata: m.Metadata,
	})
	var suppressed *delivery.SuppressedError
	if errors.As(err, &suppressed) && suppressed.Failed != nil {
		return gateway.Sent{}, &gateway.SendError{Hooks: true, Err: fmt.Errorf("hook %s failed: %w", suppressed.By, suppressed.Failed)}
	}
	if suppressed != nil {
		return gateway.Sent{ID: m.ID, Blocked: true, Reason: suppressed.Reason}, nil
	}
	if err != nil {
		return gateway.Sent{}, notSent(ctx, err)
	}
	if err := r.link.notify(); err != nil && r.judge.Log != nil { // it is kept, and goes when something carries it
		r.judge.Log.Warn("gateway", logline.Err, err)
	}
	sent := gateway.Sent{ID: posted.Message.ID}
	for _, r := range posted.Receipts {
		sent.Receipts = append(sent.Receipts, gateway.Receipt{To: r.To, State: string(r.State)})
	}
	return sent, nil
}

// notSent says whether a message may be sent again later.
func notSent(ctx context.Context, err error) error {
	var full *relay.FullError
	var limit *relay.LimitError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &full), errors.As(err, &limit):
		return &gateway.SendError{Full: true, Err: err}
	case relay.Refused(err):
		return &gateway.SendError{Err: err}
	}
	return err
}

// fireOutside fires an event of a service outside.
func fireOutside(j *judge.Judge) func(context.Context, gateway.Event) (hook.Outcome[any], error) {
	return func(ctx context.Context, ev gateway.Event) (hook.Outcome[any], error) {
		return j.Fire(ctx, judge.Firing{
			Event: ev.Name, Payload: ev.Payload, Session: ev.Session, Agent: ev.Agent, Source: "gateway", CWD: ev.CWD, ID: ev.ID, Metadata: ev.Metadata, Foreign: true,
		})
	}
}
