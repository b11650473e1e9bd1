package web

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/environ"
)

// Handler asks a server about each event. It may be used from many goroutines
// at once. Close it when it is not needed any more.
type Handler struct {
	c      Config
	url    *url.URL
	label  string
	client *client
	pause  func(context.Context, time.Duration) error // between two tries to connect

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
}

var _ hook.Handler = (*Handler)(nil)

// New makes a handler. Nothing is connected to yet, and a server that is not
// there is an error of the events. The error lists all that is wrong with the
// configuration.
func New(c Config) (*Handler, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	target, err := c.target()
	if err != nil {
		return nil, err
	}
	authorities, err := c.authorities()
	if err != nil {
		return nil, err
	}
	return &Handler{c: c, url: target, label: Label(c.URL), client: newClient(authorities, permits{c.AllowPrivate, c.AllowLoopback}), pause: backoff.Sleep}, nil
}

// Handle asks the server about an event. If the context ends first, it returns
// at once with the context's error, and the request is taken back.
func (h *Handler) Handle(ctx context.Context, ev hook.AnyEvent) (d hook.Decision, err error) {
	err = h.do(ctx, func(ctx context.Context) (err error) {
		d, err = h.ask(ctx, ev)
		return err
	})
	return d, err
}

// do makes one call, which ends with its context and with the handler.
func (h *Handler) do(ctx context.Context, call func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !h.enter() {
		return fmt.Errorf("%s: %w", h.label, ErrClosed)
	}
	defer h.calls.Done()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.client.base, cancel)()
	err := call(inner)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %s%w", h.label, givenUp(err), ctx.Err())
	case h.client.base.Err() != nil:
		return fmt.Errorf("%s: %w", h.label, ErrClosed)
	}
	return &failure{h.label, err}
}

// failure is an error on one line, with the URL in front.
type failure struct {
	label string
	cause error
}

// Error says what failed, and where.
func (f *failure) Error() string { return f.label + ": " + hook.LogLine(f.cause.Error()) }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

// givenUp says how far a request was that was taken back.
func givenUp(err error) string {
	var b *brokenOff
	if errors.As(err, &b) {
		return fmt.Sprintf("it was still answering, after %d bytes: ", b.after)
	}
	return "there was no answer: "
}

// enter counts a call in, unless the handler is closed.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.calls.Add(1)
	return true
}

// Close ends all connections. Calls under way fail with ErrClosed, and it waits
// for them; later ones fail, too.
func (h *Handler) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.client.close()
	h.calls.Wait()
	h.client.close() // of what came about meanwhile
	return nil
}

// ask sends the event and reads the decision.
func (h *Handler) ask(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	m, err := h.Message(ev)
	if err != nil {
		return hook.Decision{}, err
	}
	a, err := h.exchange(ctx, &m)
	if err != nil {
		return hook.Decision{}, err
	}
	return h.decide(ev, a)
}

// exchange sends a message and reads the answer.
func (h *Handler) exchange(ctx context.Context, m *Message) (*answer, error) {
	r, err := h.prepare(ctx, m)
	if err != nil {
		return nil, &unsetError{err}
	}
	return r.exchange(withProxy(ctx, r.proxy))
}

// prepare puts together what a call needs of its environment.
func (h *Handler) prepare(ctx context.Context, m *Message) (*request, error) {
	vars := h.c.environ(ctx)
	r := &request{h: h, message: m, headers: make(map[string]string, len(h.c.Headers))}
	for name, value := range h.c.Headers {
		text, err := value, error(nil)
		if h.c.Fill != nil {
			text = h.c.Fill(value, vars)
		} else {
			text, err = environ.Expand("the header "+name, value, vars)
		}
		if err == nil {
			err = badValue(name, text)
		}
		if err != nil {
			return nil, err
		}
		r.headers[name] = text
	}
	if environ.Replays(vars) {
		r.headers[environ.ReplayHeader] = "1"
	}
	var err error
	if r.key, err = h.c.key(vars); err != nil {
		return nil, err
	}
	if r.proxy, err = proxyFor(vars, h.url); err != nil {
		return nil, err
	}
	// A proxy connects in our place; what the URL says itself is looked at here.
	if ip, err := netip.ParseAddr(strings.Trim(h.url.Hostname(), "[]")); err == nil && r.proxy != nil {
		return r, h.client.permits.ip(ip)
	}
	return r, nil
}

func (h *Handler) warn(line string) {
	if h.c.Log != nil {
		h.c.Log.Warn(h.label + ": " + hook.LogLine(line))
	}
}
