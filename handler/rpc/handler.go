package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// ErrClosed is the cause of a failure when the handler was closed.
var ErrClosed = errors.New("the handler is closed")

// Bounds of a handler.
const (
	maxInFlight = 256      // events that are asked about at once; more wait
	maxEvent    = 64 << 20 // bytes of one
	largeEvent  = 64 << 10 // bytes of one that would hold up a stream
)

// Handler asks a server about each event. It may be used from many goroutines
// at once. Close it when it is not needed any more.
type Handler struct {
	c     Config
	label string
	link  *link
	hooks hookwayv1.HooksClient
	slots chan struct{}
	base  context.Context // ends when the handler is closed
	end   context.CancelFunc
	idle  time.Duration // after which a stream is closed

	opening  chan struct{} // held by who opens a stream
	mu       sync.Mutex
	closed   bool
	under    sync.WaitGroup // calls and streams
	current  *stream        // for new calls; nil if there is none
	noStream int64          // the connection, counted from 1, whose server has no Stream
}

var _ hook.Handler = (*Handler)(nil)

// New makes a handler. Nothing is connected to yet, and a server that is not
// there is an error of the events. The error lists all that is wrong with the
// configuration.
func New(c Config) (*Handler, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	t, err := parseTarget(c.Target)
	if err != nil {
		return nil, err
	}
	l, err := newLink(t, &c)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		c: c, label: Label(c.Target), link: l, hooks: hookwayv1.NewHooksClient(l.conn), idle: idleTime,
		slots: make(chan struct{}, maxInFlight), opening: make(chan struct{}, 1),
	}
	h.base, h.end = context.WithCancel(context.Background())
	return h, nil
}

// Label names a target in errors and listings.
func Label(target string) string {
	line := hook.LogLine(target)
	if cut := []rune(line); len(cut) > 160 {
		line = string(cut[:160]) + "…"
	}
	return line
}

// Handle asks the server about an event. If the context ends first, it returns
// at once with the context's error, and the server learns of it.
func (h *Handler) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := ctx.Err(); err != nil {
		return hook.Decision{}, err
	}
	if !h.enter() {
		return hook.Decision{}, fmt.Errorf("%s: %w", h.label, ErrClosed)
	}
	defer h.under.Done()
	d, err := h.ask(ctx, ev)
	switch {
	case err == nil:
		return d, nil
	case h.base.Err() != nil:
		return d, fmt.Errorf("%s: %w", h.label, ErrClosed)
	case late(ctx, err):
		if !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("there was no answer: %w", ctx.Err())
		}
		return d, fmt.Errorf("%s: %w", h.label, err)
	}
	if _, before := errors.AsType[*notConnected](err); before || unsent(err) {
		return d, hook.Unreachable(&failure{h.label, explain(err)})
	}
	return d, &failure{h.label, explain(err)}
}

// failure is an error on one line, with the target in front.
type failure struct {
	label string
	cause error
}

// Error says what failed, and where.
func (f *failure) Error() string { return f.label + ": " + hook.LogLine(f.cause.Error()) }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

// late reports whether a call failed because its context has ended. The far side has
// a clock of its own, and may have said so a moment earlier.
func late(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, ok := ctx.Deadline()
	if !ok || time.Until(deadline) > 100*time.Millisecond {
		return false
	}
	if status.Code(err) != codes.DeadlineExceeded && !strings.Contains(strings.ToLower(err.Error()), "deadline") {
		return false
	}
	<-ctx.Done()
	return true
}

// enter counts a call in, unless the handler is closed.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.under.Add(1)
	return true
}

// Close ends the connection. Calls under way fail with ErrClosed, and it waits
// for them; later ones fail, too.
func (h *Handler) Close() error {
	h.mu.Lock()
	was := h.closed
	h.closed = true
	h.mu.Unlock()
	h.end()
	h.under.Wait()
	if was {
		return nil
	}
	return h.link.conn.Close()
}

// ask sends the event and reads the decision.
func (h *Handler) ask(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	request, err := h.request(ev)
	if err != nil {
		return hook.Decision{}, err
	}
	md, mark, err := h.c.headers(ctx)
	if err != nil {
		return hook.Decision{}, err
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		case <-ctx.Done():
			return hook.Decision{}, fmt.Errorf("%d events are waiting for it already: %w", maxInFlight, ctx.Err())
		case <-h.base.Done():
			return hook.Decision{}, ErrClosed
		}
	}
	d, err := h.exchange(ctx, request, md, mark)
	if err != nil {
		return hook.Decision{}, err
	}
	return Decision(ev, d, h.c.Profile, h.warn)
}

// A request that a server has not begun is sent again so often. A server that is
// going may take a new stream and end it at once, again and again, until its
// connection has ended: so it is given time, more and more of it.
const (
	unsentTries = 7
	unsentPause = 5 * time.Millisecond
)

// exchange asks until the request has reached the server: what it has not begun may
// be sent again.
func (h *Handler) exchange(ctx context.Context, request *hookwayv1.HandleRequest, md metadata.MD, mark string) (*hookwayv1.Decision, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.base, cancel)()
	pause := backoff.Backoff{First: unsentPause, Most: time.Second}
	for try := 0; ; try++ {
		d, err := h.once(ctx, request, md, mark)
		if try == unsentTries-1 || !unsent(err) {
			return d, err
		}
		if try == 0 {
			continue
		}
		if pause.Wait(ctx, nil) != nil {
			return d, err
		}
	}
}

// unsent reports whether a server has certainly not begun a request: it ended the
// stream in an orderly way, or the connection had gone before it was sent.
func unsent(err error) bool {
	return errors.Is(err, errEnded) || status.Code(err) == codes.Unavailable && strings.HasPrefix(status.Convert(err).Message(), "connection error:")
}

// once asks on the stream, or with a call.
func (h *Handler) once(ctx context.Context, request *hookwayv1.HandleRequest, md metadata.MD, mark string) (*hookwayv1.Decision, error) {
	if len(request.GetEvent().GetJson()) < largeEvent {
		if d, err := h.askStream(ctx, request, md, mark); !errors.Is(err, errNoStream) {
			return d, err
		}
	}
	if err := h.link.ready(ctx); err != nil {
		return nil, err
	}
	if md != nil {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}
	response, err := h.hooks.Handle(ctx, request)
	if err != nil {
		return nil, err
	}
	return response.GetDecision(), mistyped(response)
}

// askStream asks on a stream, or gives errNoStream.
func (h *Handler) askStream(ctx context.Context, request *hookwayv1.HandleRequest, md metadata.MD, mark string) (*hookwayv1.Decision, error) {
	if err := h.link.ready(ctx); err != nil {
		return nil, err
	}
	s, err := h.stream(ctx, md, mark)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errNoStream
	}
	return s.ask(ctx, request)
}

// stream returns the stream that a call goes on, or nil if it must be asked otherwise.
func (h *Handler) stream(ctx context.Context, md metadata.MD, mark string) (*stream, error) {
	if s, decided := h.open(mark); decided {
		return s, nil
	}
	select {
	case h.opening <- struct{}{}:
		defer func() { <-h.opening }()
	case <-ctx.Done():
		return nil, fmt.Errorf("it could not be connected to in time: %w", ctx.Err())
	}
	if s, decided := h.open(mark); decided {
		return s, nil // somebody else has opened it meanwhile
	}
	s, err := newStream(ctx, h, md, mark)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.current = s
	h.mu.Unlock()
	s.start()
	return s, nil
}

// open returns the stream there is. If none is to be opened either, that is decided.
func (h *Handler) open(mark string) (s *stream, decided bool) {
	h.mu.Lock()
	s = h.current
	none := h.noStream == h.link.dials.Load()
	h.mu.Unlock()
	switch {
	case none:
		return nil, true
	case s == nil:
		return nil, false
	case s.mark == mark:
		return s, true
	}
	return nil, !s.retireIdle() // it has other headers
}

// forget makes that no more calls go on a stream.
func (h *Handler) forget(s *stream, missing bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current == s {
		h.current = nil
	}
	if missing {
		h.noStream = s.dial
	}
}

func (h *Handler) warn(line string) {
	if h.c.Log != nil {
		h.c.Log.Warn(h.label + ": " + hook.LogLine(line))
	}
}
