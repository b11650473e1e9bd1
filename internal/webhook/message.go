// Package webhook is what the two ends of a webhook have in common: the message, and
// its signature as Standard Webhooks define it. Package handler/web sends messages,
// the gateway receives them, and its spool keeps those that are not delivered yet.
package webhook

import (
	"errors"
	"time"
)

// Message is an event as it is sent. All tries to send it share its id. It may be
// stored, and sent by another process.
type Message struct {
	ID    string // the webhook-id
	Event string // canonical name
	Body  []byte
}

// ErrClosed is the cause of a failure when the sender was closed.
var ErrClosed = errors.New("the handler is closed")

// ErrUnset says that a request was not made: its secret, or a variable of its
// headers, is missing or invalid.
var ErrUnset = errors.New("what the request needs is not there")

// StatusError is an answer with a status other than 200 to 299.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // how long the server asks to be left alone; 0 if it does not say
	Text       string
}

func (e *StatusError) Error() string { return e.Text }
