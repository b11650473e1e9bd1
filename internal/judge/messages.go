package judge

import (
	"context"
	"errors"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

// messageHooks are a workspace's hooks of an agent's messages.
type messageHooks struct {
	j    *Judge
	w    *Workspace
	env  hook.Envelope
	hops int // of the message that the hooks are asked about
}

var _ delivery.Hooks = messageHooks{}

func (r *request) messageHooks(name string, hops int) messageHooks {
	head := r.ev.Head()
	return messageHooks{r.Judge, r.w, hook.Envelope{
		Session: head.Session, Agent: name, Source: head.Source, CWD: head.CWD, Transcript: head.Transcript,
	}, hops}
}

// Received fires MessageReceived.
func (m messageHooks) Received(ctx context.Context, got hook.Message) (hook.Outcome[hook.Message], error) {
	return fireMessage(m.sender(ctx, m.hops+1), m, hook.MessageReceived, got)
}

// Sending fires MessageSending.
func (m messageHooks) Sending(ctx context.Context, sent hook.Message) (hook.Outcome[hook.Message], error) {
	return fireMessage(m.sender(ctx, m.hops+1), m, hook.MessageSending, sent)
}

// Sent fires MessageSent.
func (m messageHooks) Sent(ctx context.Context, d hook.Delivery) {
	if _, err := fireMessage(m.sender(ctx, m.hops+1), m, hook.MessageSent, d); err != nil {
		m.j.log("the hooks of MessageSent did not finish: " + hook.LogLine(err.Error()))
	}
}

// fireMessage fires an event of a message. It is on record if a hook was asked.
func fireMessage[P any](ctx context.Context, m messageHooks, point hook.Point[P], payload P) (hook.Outcome[P], error) {
	out, err := m.j.fireRecorded(ctx, m.w, point.New(m.env, payload), func(out hook.Outcome[any]) bool { return len(out.Steps) > 0 })
	return hook.Typed[P](out), err
}

// senderKey finds who sends what the hooks of an event send.
type senderKey struct{}

// sender sends messages of an agent that is not wrapped, for its hooks.
type sender struct {
	messageHooks
	answer *delivery.Answer  // of an agent whose name may not be known yet; nil: it is in env
	note   func(text string) // tells the agent what the hooks of MessageSending have to say
}

var _ hook.Relay = sender{}

// sender has the hooks that are asked with a context send in the agent's name.
func (m messageHooks) sender(ctx context.Context, hops int) context.Context {
	was, _ := ctx.Value(senderKey{}).(sender)
	m.hops = hops
	if hops > 0 {
		ctx = delivery.WithHops(ctx, hops)
	}
	return context.WithValue(ctx, senderKey{}, sender{messageHooks: m, note: was.note})
}

// sends has the hooks of the event send in the agent's name.
func (r *request) sends(ctx context.Context) context.Context {
	if r.Relay.Open == nil {
		return ctx
	}
	head := r.ev.Head()
	return context.WithValue(ctx, senderKey{}, sender{
		messageHooks: r.messageHooks(head.Agent, 0), answer: r.delivery,
		note: func(text string) { r.channel().Later.Put(r.address(), text) },
	})
}

// sendsFor has the hooks of an event that a program fires send in the name of its
// agent.
func (j *Judge) sendsFor(ctx context.Context, w *Workspace, ev hook.AnyEvent) context.Context {
	if _, known := ctx.Value(senderKey{}).(sender); known || j.Relay.Open == nil || ev.Head().Agent == "" {
		return ctx
	}
	env := *ev.Head()
	env.Metadata, env.Mark = nil, nil
	return messageHooks{j, w, env, 0}.sender(ctx, delivery.HopsIn(ctx))
}

// senderOf is who sends for the hooks of an event.
func senderOf(ctx context.Context) hook.Relay {
	if s, ok := ctx.Value(senderKey{}).(sender); ok && s.j.Relay.Open != nil {
		return s
	}
	return nil
}

// Broadcast sends to everybody.
func (s sender) Broadcast(ctx context.Context, text string) error { return s.Send(ctx, "*", text) }

// Send sends a message in the agent's name.
func (s sender) Send(ctx context.Context, to, text string) error {
	store, err := s.j.channel().Store(ctx)
	if err != nil {
		return err
	}
	if store == nil {
		return errors.New("the messages of agents cannot be opened; hookway status says why")
	}
	if s.answer != nil {
		if name, ok, err := s.answer.SenderName(ctx); err != nil {
			return err
		} else if ok {
			s.env.Agent = name
		}
	}
	m := relay.Message{From: s.env.Agent, Session: s.env.Session, To: to, Content: text, Agent: true, Hook: true, Hops: s.hops}
	posted, err := delivery.Send(ctx, store, s.messageHooks, m)
	if posted.Note != "" && s.note != nil {
		s.note(posted.Note)
	}
	if err == nil && s.j.Relay.Sent != nil {
		s.j.Relay.Sent(ctx)
	}
	return err
}

// event is the event as delivery sees it.
func (r *request) event() delivery.Event {
	about := r.codec.About()
	native := adapter.NativeName(r.ev)
	can := about.Event(native).Can
	session, depth := r.env.get("HOOKWAY_SESSION"), r.env.depth()
	e := delivery.Event{
		AnyEvent: r.ev, Agent: about.Agent, Own: r.own, Native: native, Raw: r.in.Stdin, Began: r.began, PID: r.from.PID,
		Name: r.env.get("HOOKWAY_AGENT"), Session: session, Inside: session != "" || depth > 0,
		Injects: can&adapter.Inject != 0, GoesOn: can&adapter.GoOn != 0, Prompts: turnOf(about) == hook.AgentStart.Info(),
		Hooks: func(name string, hops int) delivery.Hooks { return r.messageHooks(name, hops) }, Limit: r.limit,
	}
	if session != "" && depth == 0 {
		if _, state, err := config.Places(r.setting); err == nil {
			e.State = state
		}
	}
	return e
}
