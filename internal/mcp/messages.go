package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/visible"
)

type sending struct {
	To       string   `json:"to,omitempty" jsonschema:"the name of an agent as list_agents gives it, Name@machine, the id of a session, #channel, or * for all others; may be left out with reply_to"`
	Text     string   `json:"text" jsonschema:"the message; the agent is told that it is from you"`
	Thread   string   `json:"thread,omitempty" jsonschema:"the name of what it is about, or the id of the message that began it"`
	ReplyTo  string   `json:"reply_to,omitempty" jsonschema:"the id of the message that this answers; its sender is told so"`
	Priority string   `json:"priority,omitempty" jsonschema:"low, normal, high or urgent: the order of what waits"`
	Urgent   bool     `json:"urgent,omitempty" jsonschema:"the same as the priority urgent"`
	Attach   []string `json:"attach,omitempty" jsonschema:"paths of files that the message refers to; they stay where they are"`
}

type sent struct {
	ID         string     `json:"id" jsonschema:"of the message; message_status takes it"`
	Deliveries []Delivery `json:"deliveries"`
	LeftOut    int        `json:"left_out,omitempty" jsonschema:"how many more it is for"`
	Note       string     `json:"note,omitempty" jsonschema:"what your hooks have to say"`
}

// Delivery is how a message stands with one of those it is for.
type Delivery struct {
	To       string `json:"to" jsonschema:"the name of the agent"`
	State    string `json:"state" jsonschema:"accepted (it is kept, and waits), injected (it was put into the agent's session), seen, replied; suppressed, refused or dead if it will not get there"`
	Reason   string `json:"reason,omitempty" jsonschema:"why it is in that state"`
	Accepted string `json:"accepted,omitempty" jsonschema:"when"`
	Injected string `json:"injected,omitempty" jsonschema:"when"`
	Seen     string `json:"seen,omitempty" jsonschema:"when"`
	Replied  string `json:"replied,omitempty" jsonschema:"when"`
	Reply    string `json:"reply,omitempty" jsonschema:"the id of the answer"`
}

func (s *Server) addSend(server *sdk.Server, running context.Context) {
	input := schemaOf[sending]()
	input.Properties["priority"].Enum = []any{"low", "normal", "high", "urgent"}
	add(server, running, &s.answers, tool[sending, sent]{
		name: "send_message", title: "Send a message to an agent",
		description: "Send a text to another agent, a channel or all; it is given to them with your name when they can take it. One that does not run gets it when it comes back. An unknown name is an error with the nearest names, and nothing is sent. At most 256 KiB; of more, attach a file.",
		hints:       sdk.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(true)},
		input:       input,
		time:        sendTime,
		do:          s.send,
	})
}

func (s *Server) send(ctx context.Context, who string, in sending) (a answer[sent], err error) {
	m, err := s.outgoing(who, in)
	if err != nil {
		return a, err
	}
	store, err := s.relay(ctx)
	if err != nil {
		return a, err
	}
	hooks, err := s.hooks(ctx, who)
	if err != nil {
		return a, err
	}
	posted, err := delivery.Send(ctx, store, hooks, m)
	if err != nil {
		if posted.Note != "" {
			err = fmt.Errorf("%w\n%s", err, visible.Plain(posted.Note))
		}
		return a, err
	}
	if failed := s.notify(ctx); failed != nil {
		posted.Note = strings.TrimSpace(posted.Note + "\nThe message is kept, and waits: " + hook.LogLine(failed.Error()))
	}
	a.out.ID = relay.Short(posted.Message.ID)
	a.out.Note = visible.Plain(posted.Note)
	a.out.Deliveries, a.out.LeftOut = deliveries(posted.Receipts)
	a.text = "Sent as " + a.out.ID + "\n" + deliveriesText(a.out.Deliveries, a.out.LeftOut)
	if a.out.Note != "" {
		a.text += a.out.Note + "\n"
	}
	return a, nil
}

// outgoing is the message that is to be sent.
func (s *Server) outgoing(who string, in sending) (m relay.Message, err error) {
	switch {
	case strings.TrimSpace(visible.Plain(in.To)) == "" && in.ReplyTo == "":
		return m, errors.New("to is empty; list_agents says who there is")
	case len(in.To) > mostQuery:
		return m, fmt.Errorf("to has %d bytes; it must be one name", len(in.To))
	case strings.TrimSpace(visible.Plain(in.Text)) == "":
		return m, errors.New("text is empty; say something")
	case in.Urgent && in.Priority != "" && in.Priority != string(relay.PriorityUrgent):
		return m, fmt.Errorf("urgent and the priority %s contradict each other; give one of them", hook.LogLine(in.Priority))
	case len(in.Attach) > relay.MostAttachments:
		return m, fmt.Errorf("attach names %d files; at most %d", len(in.Attach), relay.MostAttachments)
	}
	if err := relay.Thread(in.Thread); err != nil {
		return m, err
	}
	m = relay.Message{
		ID: relay.NewID(), From: s.name(who), Session: s.sessionID(), To: in.To, Thread: in.Thread, ReplyTo: in.ReplyTo,
		Priority: relay.Priority(in.Priority), Content: in.Text, Agent: true,
	}
	if _, err := relay.Name(m.From); err != nil { // what its program calls itself
		m.From = "an-agent"
	}
	if in.Urgent || m.Priority == relay.PriorityUrgent {
		m.Priority = relay.PriorityUrgent
		m.Metadata = map[string]any{"urgent": true}
	}
	for _, path := range in.Attach {
		one, err := relay.Attach(path)
		if err != nil {
			return m, fmt.Errorf("attach: %w", err)
		}
		m.Attachments = append(m.Attachments, one)
	}
	return m, nil
}

// deliveries are receipts as an agent may read them.
func deliveries(receipts []relay.Receipt) (all []Delivery, leftOut int) {
	all = []Delivery{}
	for _, r := range receipts[:min(len(receipts), mostAgents)] {
		d := Delivery{
			To: oneLine(r.To), State: string(r.State), Reason: hook.LogLine(r.Reason), Accepted: stamp(r.Accepted),
			Injected: stamp(r.Injected), Seen: stamp(r.Seen), Replied: stamp(r.Replied),
		}
		if r.Reply != "" {
			d.Reply = relay.Short(r.Reply)
		}
		all = append(all, d)
	}
	return all, len(receipts) - len(all)
}

func deliveriesText(all []Delivery, leftOut int) string {
	var text strings.Builder
	for _, d := range all {
		fmt.Fprintf(&text, "%s: %s", d.To, d.State)
		if d.Reason != "" {
			fmt.Fprintf(&text, ": %s", d.Reason)
		}
		if d.Reply != "" {
			fmt.Fprintf(&text, " (answer: %s)", d.Reply)
		}
		text.WriteByte('\n')
	}
	if leftOut > 0 {
		fmt.Fprintf(&text, "and %d more\n", leftOut)
	}
	return text.String()
}

type asking struct {
	ID string `json:"id" jsonschema:"of a message, as send_message or read_inbox give it"`
}

type statusOf struct {
	ID         string     `json:"id"`
	From       string     `json:"from"`
	To         string     `json:"to"`
	Sent       string     `json:"sent" jsonschema:"when"`
	Deliveries []Delivery `json:"deliveries"`
	LeftOut    int        `json:"left_out,omitempty" jsonschema:"how many more it is for"`
}

func (s *Server) addStatus(server *sdk.Server, running context.Context) {
	add(server, running, &s.answers, tool[asking, statusOf]{
		name: "message_status", title: "See how far a message is",
		description: "See for each receiver of a message when it was accepted, injected (put into the agent's session), seen (the agent did something after that) and replied, and the id of the answer.",
		hints:       reads(),
		do: func(ctx context.Context, _ string, in asking) (a answer[statusOf], err error) {
			s.answers.settled(ctx)
			store, err := s.relay(ctx)
			if err != nil {
				return a, err
			}
			m, receipts, err := store.Receipts(ctx, in.ID)
			if err != nil {
				return a, err
			}
			a.out = statusOf{ID: relay.Short(m.ID), From: oneLine(m.From), To: oneLine(m.To), Sent: stamp(m.Sent)}
			a.out.Deliveries, a.out.LeftOut = deliveries(receipts)
			a.text = fmt.Sprintf("%s from %s to %s\n", a.out.ID, a.out.From, a.out.To) + deliveriesText(a.out.Deliveries, a.out.LeftOut)
			return a, nil
		},
	})
}
