package post

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/letter"
)

// Seat is where an agent's messages are handed out: a [relay.Seat].
type Seat interface {
	Take(ctx context.Context, most int) ([]relay.Taken, error)
	Begin(ctx context.Context, id, text, how string) error
	Done(ctx context.Context, id string, repeat bool) error
	Suppress(ctx context.Context, id, reason string) error
	Release(ctx context.Context, id string) error
}

// Letter is a message that is handed out. Whoever shows it says Done then; until
// that is said, it is given out again if the process dies.
type Letter struct {
	relay.Message        // clean, and as the hooks left it
	Inject        string // what hooks want to be shown in its place; mostly ""
	Repeat        bool   // somebody died who may have shown it already
}

// Text is what is to be shown, without who sent it.
func (l Letter) Text() string {
	if l.Inject != "" {
		return letter.Plain(l.Inject)
	}
	return l.Content
}

// Collect takes what waits for an agent, oldest and most urgent first, and claims
// it. A message that the hooks of MessageReceived do not want is suppressed, and
// one that somebody else has claimed meanwhile is left out. Those of an error are
// claimed all the same.
func Collect(ctx context.Context, seat Seat, hooks Hooks, most int, how string) ([]Letter, error) {
	taken, err := seat.Take(ctx, most)
	if err != nil {
		return nil, err
	}
	var letters []Letter
	for i, t := range taken {
		l, ok, err := claim(ctx, seat, hooks, t, how)
		if err != nil {
			for _, left := range taken[i:] { // not shown, and known not to be
				_ = seat.Release(context.WithoutCancel(ctx), left.Message.ID)
			}
			return letters, err
		}
		if ok {
			letters = append(letters, l)
		}
	}
	return letters, nil
}

func claim(ctx context.Context, seat Seat, hooks Hooks, t relay.Taken, how string) (l Letter, ok bool, err error) {
	l = Letter{Message: letter.Clean(t.Message)}
	if t.Again != nil {
		switch letter.Look(*t.Again, t.Message.ID) {
		case letter.Found:
			return l, false, finish(ctx, seat, t, how)
		case letter.Unknown:
			l.Repeat = true
		}
	}
	out, err := hooks.Received(Passing(ctx, l.Message), ForHooks(l.Message, "received"))
	switch {
	case err != nil:
		return l, false, fmt.Errorf("the hooks of MessageReceived did not finish: %w", err)
	case out.Action == hook.ActionBlock:
		_, err := claimed(seat.Suppress(ctx, t.Message.ID, out.Reason))
		return l, false, err
	case out.Changed:
		l.Content = out.Payload.Content
		l.Message = letter.Clean(l.Message)
	}
	l.Inject = out.Inject
	ok, err = claimed(seat.Begin(ctx, l.ID, l.Text(), how))
	return l, ok, err
}

// finish says of a message that it was injected by somebody who has died since.
func finish(ctx context.Context, seat Seat, t relay.Taken, how string) error {
	ok, err := claimed(seat.Begin(ctx, t.Message.ID, t.Again.Text, how))
	if ok {
		err = seat.Done(ctx, t.Message.ID, false)
	}
	return err
}

// claimed reports whether a message is the seat's to deal with, after it has said what
// becomes of it; somebody else may have claimed it before, which is no error.
func claimed(err error) (bool, error) {
	if errors.Is(err, relay.ErrTaken) {
		return false, nil
	}
	return err == nil, err
}

// Done says that letters were shown.
func Done(ctx context.Context, seat Seat, letters []Letter) error {
	var errs []error
	for _, l := range letters {
		errs = append(errs, seat.Done(ctx, l.ID, l.Repeat))
	}
	return errors.Join(errs...)
}
