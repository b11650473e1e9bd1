package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

// Channel is one way on which items reach an agent.
type Channel interface {
	// Take claims what waits for the agent, at most so many items, oldest and most
	// urgent first. The items that come with an error are claimed all the same.
	Take(ctx context.Context, most int) ([]Item, error)

	// Shown notes that the agent was given items that were claimed.
	Shown(ctx context.Context, items []Item) error

	// Prove notes that the agent has done something since it was given items.
	Prove(ctx context.Context) error

	// Return lets another channel have items that were claimed and not shown.
	Return(ctx context.Context, items []Item) error
}

// Consumer is the place of one session at the inbox of its agent: a [relay.Consumer].
type Consumer interface {
	Take(ctx context.Context, most int) ([]relay.Taken, error)
	Begin(ctx context.Context, id, text, how string) error
	Done(ctx context.Context, id string, repeat bool) error
	Seen(ctx context.Context) error
	Suppress(ctx context.Context, id, reason string) error
	Release(ctx context.Context, id string) error
}

// Item is a message on its way to an agent.
type Item struct {
	relay.Message        // clean, and as the hooks left it
	Inject        string // what hooks want to be shown in its place; mostly ""
	Repeat        bool   // somebody died who may have shown it already

	shown string      // its text, as the agent is to see it
	taken relay.Taken // as it came from the store; for the terminal
}

// Text is what is to be shown, without who sent it.
func (i Item) Text() string {
	if i.Inject != "" {
		return visible.Plain(i.Inject)
	}
	return i.Content
}

// Inbox is the channel of an agent that asks for its messages: with the command line,
// or by a tool of MCP.
type Inbox struct {
	Consumer Consumer
	Hooks    Hooks
	How      string // what is noted as the way on which items were given
	Room     int    // bytes of texts in one answer, of which the first is whole; 0: no bound
}

var _ Channel = (*Inbox)(nil)

// Take claims items. One that the hooks of MessageReceived do not want is suppressed,
// and one that another session has claimed meanwhile is left out.
func (in *Inbox) Take(ctx context.Context, most int) (items []Item, err error) {
	for room := in.Room; len(items) < most && (in.Room == 0 || room > 0); {
		n := most - len(items)
		if in.Room > 0 {
			n = 1 // what does not fit must not be claimed
		}
		taken, err := in.Consumer.Take(ctx, n)
		if err != nil || len(taken) == 0 {
			return items, err
		}
		for i, t := range taken {
			item, ok, err := in.claim(ctx, t)
			if err != nil {
				for _, left := range taken[i:] { // not shown, and known not to be
					_ = in.Consumer.Release(context.WithoutCancel(ctx), left.Message.ID)
				}
				return items, err
			}
			if ok {
				items, room = append(items, item), room-len(item.Text())
			}
		}
	}
	return items, nil
}

// claim makes an item of a message that was taken, unless hooks do not want it or the
// agent has it.
func (in *Inbox) claim(ctx context.Context, t relay.Taken) (item Item, ok bool, err error) {
	item = Item{Message: Clean(t.Message)}
	if t.Again != nil {
		switch Look(*t.Again, t.Message.ID) {
		case Found:
			return item, false, in.finish(ctx, t)
		case Unknown:
			item.Repeat = true
		}
	}
	content := item.Content
	if ok, err = item.ask(ctx, in.Consumer, in.Hooks); err != nil || !ok {
		return item, false, err
	}
	if item.Content != content {
		item.Message = Clean(item.Message)
	}
	ok, err = ours(in.Consumer.Begin(ctx, item.ID, item.Text(), in.How))
	return item, ok, err
}

// ask asks the receiver's hooks about a message. It reports false if they suppress it,
// or another session has claimed it meanwhile.
func (i *Item) ask(ctx context.Context, at Consumer, hooks Hooks) (bool, error) {
	out, err := hooks.Received(Passing(ctx, i.Message), ForHooks(i.Message, "received"))
	switch {
	case err != nil:
		return false, fmt.Errorf("the hooks of MessageReceived did not finish: %w", err)
	case out.Action == hook.ActionBlock:
		_, err := ours(at.Suppress(ctx, i.ID, out.Reason))
		return false, err
	case out.Changed:
		i.Content = out.Payload.Content
	}
	i.Inject = out.Inject
	return true, nil
}

// finish notes that a message was shown by a process that has died since.
func (in *Inbox) finish(ctx context.Context, t relay.Taken) error {
	ok, err := ours(in.Consumer.Begin(ctx, t.Message.ID, t.Again.Text, in.How))
	if ok {
		err = in.Consumer.Done(ctx, t.Message.ID, false)
	}
	return err
}

// ours reports whether a message is the consumer's to deal with, after it has said
// what becomes of it. Another session may have claimed it before, which is not an error.
func ours(err error) (bool, error) {
	if errors.Is(err, relay.ErrTaken) {
		return false, nil
	}
	return err == nil, err
}

// Shown notes that items were shown.
func (in *Inbox) Shown(ctx context.Context, items []Item) error {
	var errs []error
	for _, i := range items {
		errs = append(errs, in.Consumer.Done(ctx, i.ID, i.Repeat))
	}
	return errors.Join(errs...)
}

// Prove notes that the agent has seen what it was shown: it has asked again, or has
// read the answer.
func (in *Inbox) Prove(ctx context.Context) error { return in.Consumer.Seen(ctx) }

// errUnconfirmed is the error for an item that cannot be returned.
var errUnconfirmed = errors.New("another answer may have had the message before")

// Return gives items back. One that may have been shown before stays claimed until the
// consumer ends, which marks it as what may be a repeat. The error says that there is
// such a one.
func (in *Inbox) Return(ctx context.Context, items []Item) error {
	var errs []error
	for _, i := range items {
		if i.Repeat {
			errs = append(errs, errUnconfirmed)
			continue
		}
		errs = append(errs, in.Consumer.Release(ctx, i.ID))
	}
	return errors.Join(errs...)
}
