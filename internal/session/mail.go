package session

import (
	"context"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

// Mail is what the messages of a session need.
type Mail struct {
	// Open opens the store of messages, and after an error is asked again now and
	// then. It is called in the background. The session closes the store.
	Open func(context.Context) (*relay.Store, error)

	// Sent is called when a message is in the store, so that it is carried on. It must
	// not wait. Nil: there is nothing to tell.
	Sent func()
}

// newMail makes the channel of the session. It is nil if there are no messages.
func newMail(s *session, mail *Mail) *delivery.Terminal {
	if mail == nil {
		return nil
	}
	return delivery.NewTerminal(delivery.TerminalConfig{
		Edge: edge{s}, Hooks: mailHooks{s}, Open: mail.Open, OnSend: mail.Sent, Warn: s.warnings.addf,
		Presence: relay.Presence{
			Session: s.env.Session, Name: s.env.Agent, Program: filepath.Base(s.command[0]), CWD: s.env.CWD, Kind: relay.KindWrapped,
			History: s.history.path,
		},
	})
}

// mailHooks are the hooks of the session, for what it sends and gets.
type mailHooks struct{ s *session }

var _ delivery.Hooks = mailHooks{}

// Sending fires MessageSending.
func (h mailHooks) Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return judge(ctx, h.s, hook.MessageSending, m)
}

// Sent fires MessageSent.
func (h mailHooks) Sent(ctx context.Context, d hook.Delivery) {
	_, _ = judge(ctx, h.s, hook.MessageSent, d) // it may only be observed
}

// Received fires MessageReceived.
func (h mailHooks) Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	out, err := judge(ctx, h.s, hook.MessageReceived, m)
	if err == nil && out.Action != hook.ActionBlock {
		h.s.messages.add(out.Payload)
	}
	return out, err
}

// edge is the terminal of the session, for the channel of its messages.
type edge struct{ *session }

var _ delivery.Edge = edge{}

// Bring queues a text that others wrote.
func (e edge) Bring(in delivery.Input) delivery.Typing {
	item := newInjection(harmless(e.command, in.Text))
	item.quoted, item.repeat = in.Text, in.Repeat
	item.claims, item.failed = in.Claim, in.Failed
	e.typist.add(item)
	return item
}

// unreadLook is between two looks whether a program has read what was typed.
const unreadLook = 30 * time.Millisecond

// Read waits until the program has read what was typed. As a program ends, what it has
// not read goes too, so it must live on for a moment.
func (e edge) Read(ctx context.Context) bool {
	for was := 1; ; {
		in := e.program.Input()
		if in.Gone || ended(e.program) {
			return false
		}
		if in.Unread == 0 && was == 0 {
			return true
		}
		was = in.Unread
		if backoff.Sleep(ctx, unreadLook) != nil {
			return false
		}
	}
}

// Busy keeps the session from being idle.
func (e edge) Busy() (done func()) {
	e.busy.Add(1)
	return func() { e.busy.Add(-1) }
}

// Ended is closed when the program has ended.
func (e edge) Ended() <-chan struct{} { return e.program.Done() }

// Activity says what the agent's own hooks have reported.
func (e edge) Activity() (a delivery.Activity, ok bool) {
	if e.hooks == nil {
		return a, false
	}
	return e.hooks.Activity(), true
}

// Typed reports whether a prompt was typed by the session, and not by its user.
func (e edge) Typed(prompt string) bool { return e.typist.lately.has(prompt) }

// UserLines is how many lines the user has ended.
func (e edge) UserLines() int64 { return e.program.UserLines() }

// Withdraw keeps the text from being typed, unless that has begun.
func (i *injection) Withdraw() { i.withdrawn.Store(true) }

// Wait waits for the last state.
func (i *injection) Wait() delivery.Result {
	<-i.done
	state, _ := i.state()
	return delivery.Result{
		Given: state != stateFailed, Unread: state != stateSubmitted || i.lines, Partly: i.unsure,
		Repeat: i.repeat, At: i.at, Err: i.err,
	}
}

const (
	latelyMost    = 32  // texts by which it is known that a prompt was typed by the session
	latelyLetters = 200 // of each
)
