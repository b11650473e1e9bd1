package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
)

// Sender keeps messages: a [relay.Store].
type Sender interface {
	Send(ctx context.Context, m relay.Message) (relay.Sent, error)
}

// Sent is what became of a message.
type Sent struct {
	relay.Sent
	Note string // what the hooks of MessageSending have to say to the sender; see Send
}

// SuppressedError says that a hook of MessageSending has kept a message back.
type SuppressedError struct {
	By     string // the hook's id
	Reason string
	Failed error // why the hook failed, if the block is not what it decided
}

func (e *SuppressedError) Error() string { return "it was not sent: " + e.Reason }

// mostReceivers bounds the receivers of one message for which the hooks of MessageSent
// get an event each; the others share one.
const mostReceivers = 100

// Send sends a message, with its sender's hooks. A message without an id gets one.
// An error means that nothing was stored; it is a *SuppressedError if a hook did
// not want it. The Note is there in any case.
func Send(ctx context.Context, store Sender, hooks Hooks, m relay.Message) (p Sent, err error) {
	if m.ID == "" {
		m.ID = relay.NewID()
	}
	asking := Passing(ctx, m)
	out, err := hooks.Sending(asking, ForHooks(m, "sending"))
	p.Note = out.Inject
	switch {
	case err != nil:
		return p, fmt.Errorf("it was not sent: the hooks of MessageSending did not finish: %w", err)
	case out.Action == hook.ActionBlock:
		return p, &SuppressedError{By: out.By, Reason: out.Reason, Failed: out.Failure()}
	}
	if out.Changed {
		m.Content = out.Payload.Content
	}
	p.Sent, err = store.Send(ctx, m)
	asking = context.WithoutCancel(asking) // it is sent: its hooks run though its sender may have gone
	var held *relay.LimitError
	if errors.As(err, &held) && m.Hops > 0 {
		return p, err // the hook that sent it knows; another would only try again
	}
	if err != nil {
		hooks.Sent(asking, hook.Delivery{Message: ForHooks(m, "sent"), Error: err.Error()})
		return p, err
	}
	tell(asking, hooks, p.Sent)
	return p, nil
}

// tell tells the hooks of MessageSent who gets a message.
func tell(ctx context.Context, hooks Hooks, sent relay.Sent) {
	sending := ForHooks(sent.Message, "sent")
	for i, r := range sent.Receipts {
		d := hook.Delivery{Message: sending, Success: true}
		if i < mostReceivers {
			d.To = r.To
		}
		hooks.Sent(ctx, d)
		if i == mostReceivers {
			return
		}
	}
}
