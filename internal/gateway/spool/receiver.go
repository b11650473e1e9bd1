package spool

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/webhook"
)

// Webhook names one in a configuration.
type Webhook struct {
	Place string // the folder of the configuration
	ID    string
}

// Policy is how a webhook is tried.
type Policy struct {
	Timeout time.Duration // of one try; 0 is 30 s
	Tries   int           // after which a message is given up; 0 is as many as three days have
}

// Target is a webhook as its configuration is now.
type Target struct {
	Webhook
	Policy
	Post func(context.Context, webhook.Message) error
}

// Server sends the messages of a webhook: a Handler of package handler/web.
type Server interface {
	Message(hook.AnyEvent) (webhook.Message, error)
	Send(context.Context, webhook.Message) error
	Close() error
}

// Receiver is a webhook as a hook: each event becomes a message, sent in the background.
type Receiver struct {
	Target

	// Form makes the message of an event; nil sends the event as it is. It must not
	// be changed once there is something to send.
	Form Form

	spool  *Spool
	server Server

	arriving sync.WaitGroup // messages that are not written yet

	closing context.Context // ends when it is closed
	close   context.CancelFunc

	mu    sync.Mutex
	env   context.Context // of its last message: it has the environment
	first int64           // its first message in the file
}

var _ hook.Handler = (*Receiver)(nil)

// Form makes of an event's JSON what a webhook gets of it. The context is that of
// the hook, and knows what came of the event.
type Form func(ctx context.Context, body []byte, ev hook.AnyEvent) ([]byte, error)

// Receiver makes one. Closing it closes the server.
func (s *Spool) Receiver(w Webhook, p Policy, server Server) *Receiver {
	r := &Receiver{Target: Target{w, p, server.Send}, spool: s, server: server}
	r.closing, r.close = context.WithCancel(context.Background())
	return r
}

// Handle takes an event in. It does not wait until it is sent.
func (r *Receiver) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	m, err := r.server.Message(ev)
	if err != nil {
		return hook.Decision{}, err
	}
	if r.Form != nil {
		if m.Body, err = r.Form(ctx, m.Body, ev); err != nil {
			return hook.Decision{}, err
		}
	}
	r.mu.Lock()
	if r.closing.Err() != nil {
		r.mu.Unlock()
		return hook.Decision{}, fmt.Errorf("webhook %s: %w", r.ID, webhook.ErrClosed)
	}
	r.env = context.WithoutCancel(ctx)
	r.arriving.Add(1)
	r.mu.Unlock()
	if err := r.spool.take(ctx, r, m); err != nil {
		r.arriving.Done()
		return hook.Decision{}, err
	}
	return hook.Decision{}, nil
}

// firstTime is how long what is being sent at the end may still take. It is in the
// file, so another process sends it then.
const firstTime = time.Second

// Close waits until its messages are in the file, and a moment until they are sent.
func (r *Receiver) Close() error {
	r.mu.Lock()
	r.close()
	r.mu.Unlock()
	r.arriving.Wait()
	r.spool.leave(r)
	return r.server.Close()
}

// leave waits for the sender of a receiver that is closed.
func (s *Spool) leave(r *Receiver) {
	s.mu.Lock()
	if s.latest[r.Webhook] == r {
		delete(s.latest, r.Webhook)
	}
	sending := s.senders[r.Webhook]
	s.mu.Unlock()
	if sending == nil || sending.from != r {
		return
	}
	late := time.NewTimer(firstTime)
	defer late.Stop()
	select {
	case <-sending.ended:
	case <-late.C:
	}
}
