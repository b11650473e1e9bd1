package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/webhook"
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
