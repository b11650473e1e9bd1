package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
)

// keepSecrets keeps the variables that hookway serve was started with, for the
// secrets among them: the daemon itself forgets all but the basic ones. One that is
// started on demand has those of whoever happened to do that, which mean nothing.
func (a *app) keepSecrets(onDemand bool) {
	given := map[string]string{}
	if !onDemand {
		for _, kv := range os.Environ() {
			if name, value, ok := strings.Cut(kv, "="); ok {
				given[name] = value
			}
		}
	}
	a.secret = func(name string) string { return given[name] }
	if !onDemand {
		a.given = os.Environ()
	}
}

// openGateway has services outside come in by the mappings of the user's
// configuration, and hooks hear that the daemon begins and ends.
func (a *app) openGateway(c *daemon.Config, j *judge.Judge, doors *api.Doors, carrier *carrier) {
	g := &gateway.Gateway{Load: mappings(j), Send: relayDoor{carrier, j}.postOutside, Fire: fireOutside(j), Getenv: a.secret, NewID: relay.NewID, Log: j.Log}
	if dir, err := a.home.GatewayDir(); err == nil {
		g.Dir = dir
	}
	doors.Gateway = g
	ready, done := c.Ready, c.Close
	c.Ready = func() {
		if ready != nil {
			ready()
		}
		j.GatewayStart(hook.GatewayInfo{Version: c.Version, Address: c.Places.Socket, Addresses: append([]string{c.Places.Socket}, doors.Addresses...)})
	}
	a.carryWebhooks(c, j)
	c.Stopping = func(reason string) { j.GatewayStop(context.Background(), reason) }
	c.Close = func() {
		done()
		if err := g.Close(); err != nil {
			j.Log(err.Error())
		}
	}
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
func (r relayDoor) postOutside(ctx context.Context, m gateway.Message) (gateway.Sent, error) {
	store, err := r.carrier.open()
	if err != nil {
		return gateway.Sent{}, err
	}
	if m.Claimed {
		if err := store.Stranger(ctx, m.From); err != nil {
			return gateway.Sent{}, notSent(ctx, err)
		}
	}
	hooks := &judgedPost{judge: r.judge, firing: judge.Firing{Agent: m.From, Source: "gateway", Foreign: true}}
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
	if err := r.carrier.Poke(); err != nil && r.judge.Log != nil { // it is kept, and goes when something carries it
		r.judge.Log("gateway: " + err.Error())
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
