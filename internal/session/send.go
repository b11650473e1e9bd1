package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

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
		return visible.Join("\n\n", posted.Note, s.reply(away)), nil
	}
	return posted.Note, nil
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
