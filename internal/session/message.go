package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
)

const (
	mailBound   = 128              // messages that may wait to be typed
	messageMost = 64 << 10         // bytes of one
	nameMost    = 64               // runes of a sender's name
	verdictWait = 10 * time.Second // for a message's hooks, until its sender is told that it waits
)

// What becomes of a message.
const (
	messageTaken      = "delivered"  // it is to be typed, or was
	messageSuppressed = "suppressed" // by a hook
	messageWaiting    = "waiting"    // for its hooks
)

// everybody is whom a broadcast is for.
const everybody = "*"

// mailbox holds the messages that come from other agents.
type mailbox struct {
	s       *session
	letters chan *letter
	waiting atomic.Int64 // messages that were taken and are not typed

	mu     sync.Mutex
	closed bool
}

// letter is a message on its way in.
type letter struct {
	message       hook.Message
	done          chan struct{} // closed when the rest holds
	state, reason string
	err           error
}

func newMailbox(s *session) *mailbox {
	return &mailbox{s: s, letters: make(chan *letter, mailBound)}
}

// receive queues a message and waits for what its hooks say. A message that
// cannot be queued is an error, and so is one whose hooks were cut off.
func (m *mailbox) receive(ctx context.Context, message hook.Message) (state, reason string, err error) {
	message, err = clean(message)
	if err != nil {
		return "", "", err
	}
	one := &letter{message: message, done: make(chan struct{})}
	if err := m.put(one); err != nil {
		return "", "", err
	}
	limit := time.NewTimer(verdictWait)
	defer limit.Stop()
	select {
	case <-one.done:
		return one.state, one.reason, one.err
	case <-limit.C:
		return messageWaiting, "its hooks are still at it", nil
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
}

func (m *mailbox) put(one *letter) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errors.New("the session is ending")
	}
	if m.waiting.Load() >= mailBound {
		return fmt.Errorf("%d messages wait to be typed there already; try again later", mailBound)
	}
	m.waiting.Add(1)
	m.letters <- one // there is room: no more wait than it holds
	return nil
}

// close refuses what still waits, and what comes from now on.
func (m *mailbox) close() {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closed = true
	close(m.letters)
	m.mu.Unlock()
	for one := range m.letters {
		m.waiting.Add(-1)
		one.err = errors.New("the session has ended before the message's turn")
		close(one.done)
	}
}

// run hands messages to their hooks, one after the other, until the program ends.
func (m *mailbox) run(ctx context.Context) {
	defer m.close()
	for {
		select {
		case one := <-m.letters:
			m.s.busy.Add(1)
			m.open(ctx, one)
			m.s.busy.Add(-1)
			close(one.done)
		case <-m.s.program.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// open fires MessageReceived and has the message typed.
func (m *mailbox) open(ctx context.Context, one *letter) {
	s := m.s
	out, err := judge(ctx, s, hook.MessageReceived, one.message)
	switch {
	case err != nil:
		one.err = fmt.Errorf("its hooks did not finish: %w", err)
	case out.Action == hook.ActionBlock:
		one.state, one.reason = messageSuppressed, out.Reason
	default:
		received := out.Payload
		s.messages.add(received)
		item := s.inject(s.letterText(received, out.Inject))
		if state, reason := item.state(); state == stateFailed {
			one.err = errors.New(reason)
			break
		}
		one.state = messageTaken
		go func() { // it ends with the session at the latest
			select {
			case <-item.done:
			case <-s.over:
			}
			m.waiting.Add(-1)
		}()
		return
	}
	m.waiting.Add(-1)
}

// send sends a message of the agent and tells the hooks. The note is for the
// agent: what the hooks of MessageSending inject. The error says who has not got
// the message.
func (s *session) send(ctx context.Context, to, content string) (note string, err error) {
	if s.messenger == nil {
		return "", errors.New("this session has nobody to send messages to")
	}
	m, err := clean(hook.Message{ID: NewID(), From: s.env.Agent, To: to, Content: content, Direction: "sending"})
	if err != nil {
		return "", err
	}
	m.Direction = "sending"
	out, err := judge(ctx, s, hook.MessageSending, m)
	switch {
	case err != nil:
		return "", fmt.Errorf("the hooks of MessageSending did not finish: %w", err)
	case out.Action == hook.ActionBlock:
		return out.Inject, fmt.Errorf("it was not sent: %s", out.Reason)
	}
	m = out.Payload
	m.Direction = "sent"
	deliveries, err := s.messenger.Send(ctx, m)
	if err != nil {
		deliveries = append(deliveries, hook.Delivery{Message: m, Error: err.Error()})
	} else {
		s.messages.add(m)
	}
	var failed []error
	for _, d := range deliveries {
		_, _ = judge(ctx, s, hook.MessageSent, d) // it may only be observed
		if !d.Success {
			failed = append(failed, fmt.Errorf("%s: %s", hook.LogLine(d.To), d.Error))
		}
	}
	if err != nil {
		return out.Inject, err
	}
	return out.Inject, errors.Join(failed...)
}
