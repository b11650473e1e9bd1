package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
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

// lately are the texts that were typed last.
type lately struct {
	mu  sync.Mutex
	all []string
}

func (l *lately) add(text string) {
	first := []rune(letters(visible.Plain(text)))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(first[:min(len(first), latelyLetters)]))
	l.all = l.all[max(0, len(l.all)-latelyMost):]
}

func (l *lately) has(prompt string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	prompt = letters(prompt)
	for _, text := range l.all {
		if text != "" && strings.Contains(prompt, text) {
			return true
		}
	}
	return false
}

// notThere is the error of sending where there are no messages.
func notThere(s *session) error {
	return fmt.Errorf("%s has no store of messages to send with", s.env.Agent)
}

// offlineMost bounds the names of offline receivers in a note to the sender.
const offlineMost = 5

// everybody is whom a broadcast is for.
const everybody = "*"

// send sends a message of the agent, with its hooks. The note is for the agent.
// An error means that the message was not sent.
func (s *session) send(ctx context.Context, m relay.Message) (note string, err error) {
	if s.mail == nil {
		return "", notThere(s)
	}
	m.ID, m.From, m.Session, m.Agent, m.Hops = relay.NewID(), s.env.Agent, s.env.Session, true, delivery.HopsIn(ctx)
	if m.Content = visible.Plain(m.Content); isBlank(m.Content) {
		return "", errors.New("it is empty")
	}
	posted, err := delivery.Send(ctx, s.mail, mailHooks{s}, m)
	if err != nil {
		return posted.Note, err
	}
	s.messages.add(delivery.ForHooks(posted.Message, "sent"))
	if away := queued(posted.Sent); away != "" {
		return joined(posted.Note, s.reply(away)), nil
	}
	return posted.Note, nil
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// queued tells of receivers who are not there. What is on its way to a machine that
// is there is not worth an agent's attention.
func queued(sent relay.Sent) string {
	var away []relay.Receipt
	for _, r := range sent.Receipts {
		if r.State == relay.StateAccepted && r.Reason != "" && !relay.OnItsWay(r.Reason) {
			away = append(away, r)
		}
	}
	if len(away) == 1 {
		return fmt.Sprintf("The message to %s is queued: %s.", away[0].To, away[0].Reason)
	}
	var names []string
	for _, r := range away[:min(len(away), offlineMost)] {
		names = append(names, r.To)
	}
	if more := len(away) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The message is queued for those who are offline: %s.", strings.Join(names, ", "))
}

// messageOf makes a message of a directive's body, which may have options in
// brackets in front: re:ID, thread:NAME, file:PATH, urgent, high, normal or low.
// Brackets in which there is anything else belong to the text.
func (s *session) messageOf(to, body string) (m relay.Message, err error) {
	m = relay.Message{To: to, Content: body}
	inside, rest, ok := strings.Cut(strings.TrimLeft(body, " \t"), "]")
	inside, bracket := strings.CutPrefix(inside, "[")
	words := strings.Fields(inside)
	if !ok || !bracket || len(words) == 0 || strings.Contains(inside, "\n") {
		return m, nil
	}
	with, known, odd := m, 0, []string(nil)
	for _, word := range words {
		key, value, valued := strings.Cut(word, ":")
		switch {
		case valued && value == "":
			return m, nil
		case valued && key == "re":
			with.ReplyTo = value
		case valued && key == "thread":
			with.Thread = value
		case valued && key == "file":
			with.Attachments = append(with.Attachments, relay.Attachment{Path: value})
		case priority(word) != "":
			with.Priority = priority(word)
		default:
			odd = append(odd, word)
			continue
		}
		known++
	}
	if len(odd) > 0 {
		if near := meantOption(odd[0]); known > 0 && len(odd) == 1 && near != "" {
			return m, fmt.Errorf("[%s] has no option %q; did you mean %s?", inside, odd[0], near)
		}
		return m, nil // it belongs to the text
	}
	for i, a := range with.Attachments {
		path := a.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.env.CWD, path)
		}
		if with.Attachments[i], err = relay.Attach(path); err != nil {
			return m, err
		}
	}
	with.Content = strings.TrimLeft(rest, " \t")
	return with, nil
}

// meantOption is the option that a word was perhaps meant to be, or "".
func meantOption(word string) string {
	name, value, valued := strings.Cut(word, ":")
	if valued {
		if name = hook.Nearest(name, []string{"re", "thread", "file"}); name != "" {
			name += ":" + value
		}
		return name
	}
	return hook.Nearest(name, []string{string(relay.PriorityLow), string(relay.PriorityNormal), string(relay.PriorityHigh), string(relay.PriorityUrgent)})
}

// priority reads the word for one; "" is none.
func priority(word string) relay.Priority {
	switch p := relay.Priority(word); p {
	case relay.PriorityLow, relay.PriorityNormal, relay.PriorityHigh, relay.PriorityUrgent:
		return p
	}
	return ""
}
