// Package notify tells a person elsewhere what is asked, and brings the answer.
//
// A [Channel] is one way: [Ntfy] publishes cards with buttons to a topic of an ntfy
// server, and reads what the buttons publish to another one; [Webhook] posts signed
// requests to a service, which answers at the gateway. Neither needs an address of ours
// that others can reach. One more way is one more type in a file of its own.
//
// A channel carries and decides nothing: what it brings is a token that was made for one
// request, one channel and one answer, and who made it says whether it counts. No log and
// no error has a token, a secret, or the name of a topic in it.
package notify

import (
	"context"
	"errors"

	"github.com/hookway/hookway/internal/approve"
)

// Card is what a person is told of a request: that it is asked, or, without tokens, what
// has become of it.
type Card struct {
	approve.Request
	Allow, Deny string // what answers it; without Allow it can only be denied

	// Also are other requests of the same session that are answered with this one.
	Also []approve.Request

	// Test makes it a card that asks nothing, to see whether it arrives.
	Test bool
}

// Asks reports whether there is something to answer.
func (c *Card) Asks() bool { return c.Deny != "" }

// Said is what a person says.
type Said struct {
	Token string
	Yes   bool   // what the token was made for
	Note  string // beside it
	From  string // from where it comes, for people
	Old   bool   // it was said before anybody listened: it may have been heard then
}

// Answer takes what a person says. The error says why it does not count.
type Answer func(ctx context.Context, s Said) error

// Channel is a way to a person. Its methods may be called from any goroutine.
type Channel interface {
	// Name tells it from the others; it is for records, too.
	Name() string

	// Send shows a card, in place of an earlier one of the same request where the other
	// side can do that.
	Send(ctx context.Context, c Card) error

	// Listen hands over answers until the context ends, whose error it gives. It connects
	// as often as it has to; ready is called each time that answers can come, and down
	// with each reason why they cannot.
	Listen(ctx context.Context, answer Answer, ready func(), down func(error)) error

	// Check says what is wrong with how the channel is set up, as far as that can be told
	// without a card.
	Check(ctx context.Context) error
}

// RefusedError is what the other side says no to for good: a wrong token, or a topic that
// the token may not use.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// CardError is a card that the other side does not take. Others may pass.
type CardError struct{ Text string }

func (e *CardError) Error() string { return e.Text }

// Refused reports whether trying again is in vain until somebody mends something.
func Refused(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused)
}
