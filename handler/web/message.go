package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/webhook"
	"github.com/hookway/hookway/wire"
)

// Message is an event as it is sent.
type Message = webhook.Message

// StatusError is an answer with a status other than 200 to 299.
type StatusError = webhook.StatusError

// The causes of failures that say nothing about the server: the handler was closed,
// or what a request needs is missing, and nothing was sent.
var (
	ErrClosed = webhook.ErrClosed
	ErrUnset  = webhook.ErrUnset
)

// Message is an event as it would be sent. It has the same id for each try, and
// another one for a hook that sees the event changed.
func (h *Handler) Message(ev hook.AnyEvent) (Message, error) {
	parts, err := wire.EncodeAs(ev, h.c.EventNames)
	if err != nil {
		return Message{}, err
	}
	body := slices.Concat(parts...)
	digest := sha256.Sum256(body)
	return Message{ID: "evt_" + ev.ID().String() + "_" + hex.EncodeToString(digest[:6]), Event: ev.Info().Name, Body: body}, nil
}

// Send sends a message that asks for nothing: a status from 200 to 299 is enough,
// and with Config.Verify its signature. Any other is a [StatusError]. With [ErrUnset]
// nothing was sent.
func (h *Handler) Send(ctx context.Context, m Message) error {
	return h.do(ctx, func(ctx context.Context) error {
		a, err := h.exchange(ctx, &m)
		switch {
		case err != nil:
			return err
		case a.status < 200 || a.status > 299:
			return a.refused()
		case a.unsigned != nil:
			return fmt.Errorf("the answer cannot be relied on: %w", a.unsigned)
		}
		return nil
	})
}

// Reach reports whether the server is there: it answers a HEAD request, whatever the
// status. The request has none of the configured headers, and no signature. With
// [ErrUnset] nothing was sent.
func (h *Handler) Reach(ctx context.Context) error {
	return h.do(ctx, func(ctx context.Context) error {
		r, err := h.prepare(ctx, &Message{})
		if err != nil {
			return &unsetError{err}
		}
		r.probe = true
		_, err = r.exchange(withProxy(ctx, r.proxy))
		return err
	})
}

// unsetError is an ErrUnset that says what is missing.
type unsetError struct{ error }

func (e *unsetError) Is(target error) bool { return target == ErrUnset }
func (e *unsetError) Unwrap() error        { return e.error }

// failed is the error of an answer's status.
func (a *answer) failed(text string) error {
	return &StatusError{Status: a.status, RetryAfter: retryAfter(a.later), Text: text}
}

// retryAfter reads a Retry-After: seconds, or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
