package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
)

// messageHooks are the hooks of a folder for messages.
type messageHooks struct {
	fire func(ctx context.Context, event string, payload any) (hook.Outcome[any], error)
	log  *slog.Logger
}

var _ delivery.Hooks = (*messageHooks)(nil)

// Sending fires MessageSending.
func (h *messageHooks) Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return fireMessage(ctx, h, hook.MessageSending, m)
}

// Sent fires MessageSent.
func (h *messageHooks) Sent(ctx context.Context, d hook.Delivery) {
	if _, err := fireMessage(ctx, h, hook.MessageSent, d); err != nil {
		h.log.Warn("the hooks of MessageSent did not finish", logline.Err, err)
	}
}

// Received fires MessageReceived.
func (h *messageHooks) Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return fireMessage(ctx, h, hook.MessageReceived, m)
}

func fireMessage[P any](ctx context.Context, h *messageHooks, point hook.Point[P], payload P) (hook.Outcome[P], error) {
	all, err := h.fire(ctx, point.Name(), payload)
	out := hook.Typed[P](all)
	if all.Payload == nil { // it failed
		out.Payload = payload
	}
	return out, err
}

// judgedHooks are those of a judge, in the daemon.
func judgedHooks(j *judge.Judge, f judge.Firing) *messageHooks {
	return &messageHooks{log: j.Log, fire: func(ctx context.Context, event string, payload any) (hook.Outcome[any], error) {
		f := f
		f.Event, f.Body = event, payload
		return j.Fire(ctx, f)
	}}
}

// OpenMessageHooks opens the hooks for messages of the folder that a command acts in.
// done waits for those that observe.
func (h *Home) OpenMessageHooks(ctx context.Context, env hook.Envelope) (hooks delivery.Hooks, done func() error, err error) {
	options := h.Options()
	options.TrustedOnly = true
	w, err := h.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	hooks, done = h.messageHooks(w, env)
	return hooks, done, nil
}

// LiveMessageHooks opens them for longer: they follow their files until done is called.
func (h *Home) LiveMessageHooks(ctx context.Context, env hook.Envelope) (hooks delivery.Hooks, done func() error, err error) {
	ctx, stop := context.WithCancel(ctx)
	w, err := h.OpenLive(ctx, h.Options())
	if err != nil {
		stop()
		return nil, nil, err
	}
	hooks, closed := h.messageHooks(w, env)
	return hooks, func() error {
		stop()
		return closed()
	}, nil
}

func (h *Home) messageHooks(w *Workspace, env hook.Envelope) (hooks delivery.Hooks, done func() error) {
	record, recorded := h.Recorder(w, h.Log)
	fire := func(ctx context.Context, event string, payload any) (hook.Outcome[any], error) {
		info, err := w.Engine.Lookup(event)
		if err != nil {
			return hook.Outcome[any]{}, err
		}
		ev, err := info.New(env, payload)
		if err != nil {
			return hook.Outcome[any]{}, err
		}
		began := time.Now()
		out, err := w.Engine.Fire(ctx, ev)
		if len(out.Steps) > 0 || err != nil {
			record(ctx, ev, out, time.Since(began), err)
		}
		if out.UserMessage != "" {
			h.Log.Warn(out.UserMessage)
		}
		return out, err
	}
	return &messageHooks{fire: fire, log: h.Log}, func() error {
		defer recorded()
		return w.Close()
	}
}
