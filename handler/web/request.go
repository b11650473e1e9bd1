package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/webhook"
	"github.com/hookway/hookway/wire"
)

// expectFrom is the size of an event that is sent only when the server has said
// that it reads it: one that answers without reading could break the connection
// otherwise, before its answer is here.
const expectFrom = 64 << 10

// request is one event on its way to a server.
type request struct {
	h       *Handler
	message *Message
	headers map[string]string
	key     webhook.Key // nil: nothing is signed
	proxy   *url.URL
	probe   bool // asks only whether the server is there: no body, header or signature
}

// pauses are those between tries to connect.
var pauses = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond}

// exchange sends the event and reads the answer. Only what failed before
// anything was sent is tried again.
func (r *request) exchange(ctx context.Context) (*answer, error) {
	for try := 0; ; try++ {
		response, err := r.send(ctx)
		if err == nil {
			return r.receive(response)
		}
		if try == len(pauses) || !neverConnected(err) {
			return nil, explain(err)
		}
		if err := r.h.pause(ctx, backoff.Jitter(pauses[try])); err != nil {
			return nil, err
		}
	}
}

// send sends the event once, with a timestamp and a signature of its own.
func (r *request) send(ctx context.Context) (*http.Response, error) {
	method, body := http.MethodPost, r.message.Body
	if r.probe {
		method, body = http.MethodHead, nil
	}
	req, err := http.NewRequestWithContext(ctx, method, r.h.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the url cannot be used for a request") // the error quotes it whole
	}
	req.Header.Set("User-Agent", "hookway")
	if r.probe {
		return r.h.client.transport.RoundTrip(req)
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	now := time.Now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Hookway-Event", r.message.Event)
	req.Header.Set("Webhook-Id", r.message.ID)
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	if r.key != nil {
		req.Header.Set("Webhook-Signature", r.key.Sign(r.message.ID, now, r.message.Body))
		req.Header["Idempotency-Key"] = nil // tells the transport, not the server, that the id makes it safe to send again
	}
	if len(r.message.Body) >= expectFrom {
		req.Header.Set("Expect", "100-continue")
	}
	return r.h.client.transport.RoundTrip(req) // a client would follow redirects
}

// neverConnected reports whether an error is that of a connection which was
// tried, and could not be made. An address that is refused stays refused.
func neverConnected(err error) bool {
	var op *net.OpError
	var private *PrivateError
	var name *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" && !errors.As(err, &private) && !errors.As(err, &name) && !errors.Is(err, context.Canceled)
}

// explain says what to do about an error of a request. Where there was no
// connection, the event was not sent.
func explain(err error) error {
	var private *PrivateError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &private):
		return private
	case errors.As(err, &certificate):
		return hook.Unreachable(fmt.Errorf("its certificate is not to be trusted: %w; if it is meant, name its authority with ca", certificate.Err))
	case errors.As(err, &record):
		return hook.Unreachable(fmt.Errorf("it does not speak TLS; write http:// if that is meant: %w", err))
	case errors.As(err, &name):
		return hook.Unreachable(fmt.Errorf("its name cannot be resolved: %w", err))
	case errors.As(err, &op) && op.Op == "dial":
		return hook.Unreachable(fmt.Errorf("it cannot be reached, %d tries: %w", len(pauses)+1, err))
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return hook.Unreachable(fmt.Errorf("the proxy cannot be reached: %w", op.Err))
	}
	return fmt.Errorf("the request failed, and was not sent again: %w", err)
}

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
