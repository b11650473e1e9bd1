//go:build linux || darwin

package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/session"
)

// noLimits lets tests send as much as they like.
var noLimits = relay.Options{Machine: "here", Limits: relay.Limits{PerMinute: -1, PingPong: -1, Inbox: 100_000}}

// mailbox is a store of messages, from which the sessions learn what has come.
type mailbox struct {
	t     *testing.T
	dir   string
	store *relay.Store

	mu       sync.Mutex
	controls []*session.Control // of the sessions that are notified
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	c := &mailbox{t: t, dir: t.TempDir()}
	c.store = c.open(t.Context())
	t.Cleanup(func() {
		if err := c.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *mailbox) open(ctx context.Context) *relay.Store {
	c.t.Helper()
	o := noLimits
	o.Wake = c.wake
	store, err := relay.Open(ctx, c.dir, o)
	if err != nil {
		c.t.Fatal(err)
	}
	return store
}

// wake tells the sessions that something has come.
func (c *mailbox) wake(context.Context, []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.controls {
		s.Notify()
	}
}

// mail is what a session's messages stand on.
func (c *mailbox) mail() *session.Mail {
	return &session.Mail{
		Open: func(ctx context.Context) (*relay.Store, error) { return relay.Open(ctx, c.dir, noLimits) },
	}
}

// reached runs an agent whose messages are of the mailbox.
func (c *mailbox) reached(w *wrapped, says string, cfg session.Config) *session.Control {
	c.t.Helper()
	cfg.Mail = c.mail()
	control := w.reached(says, cfg)
	c.notified(control)
	return control
}

func (c *mailbox) notified(s *session.Control) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.controls = append(c.controls, s)
}

// knows has agents known who do not run.
func (c *mailbox) knows(names ...string) {
	c.t.Helper()
	for _, name := range names {
		consumer, err := c.store.Join(c.t.Context(), relay.Presence{Session: "gone-" + name, Name: name, Kind: "wrapped"})
		if err == nil {
			err = consumer.Close()
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// send sends a message, when its receiver is known, and gives its id.
func (c *mailbox) send(m relay.Message) string {
	c.t.Helper()
	if m.From == "" {
		m.From = "Bob"
	}
	var id string
	c.until("the receiver", func() bool {
		sent, err := c.store.Send(c.t.Context(), m)
		var unknown *relay.UnknownError
		if err != nil && !errors.As(err, &unknown) && !errors.Is(err, relay.ErrNobody) {
			c.t.Fatal(err)
		}
		id = sent.Message.ID
		return err == nil
	})
	return id
}

// becomes waits until a message is in one of these states with its only receiver.
func (c *mailbox) becomes(id string, states ...relay.State) relay.Receipt {
	c.t.Helper()
	var last relay.Receipt
	c.until("the message to be "+string(states[0]), func() bool {
		_, all, err := c.store.Receipts(c.t.Context(), id)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(all) == 1 {
			last = all[0]
		}
		return len(all) == 1 && slices.Contains(states, last.State)
	})
	return last
}

// until waits for what a file tells, which gives no sign.
func (c *mailbox) until(what string, there func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("waiting for %s; %s", what, c.ledger())
		}
	}
}

// sentBy waits until an agent has sent so many messages, and gives them.
func (c *mailbox) sentBy(agent string, n int) []relay.Message {
	c.t.Helper()
	var all []relay.Message
	c.until("the messages of "+agent, func() bool {
		var err error
		if all, err = c.store.SentBy(c.t.Context(), agent, n+1); err != nil {
			c.t.Fatal(err)
		}
		return len(all) >= n
	})
	return all
}

// ledger is what has become of the last messages to Alice.
func (c *mailbox) ledger() string {
	all, err := c.store.Inbox(context.Background(), "Alice", relay.Query{Limit: 5})
	text := fmt.Sprintf("%v", err)
	for _, i := range all {
		text += fmt.Sprintf("\n%s: %+v", i.Message.Content, i.Receipt)
	}
	return text
}
