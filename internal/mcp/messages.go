package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/session"
)

// suppressed is the state of a message that a hook has blocked.
const suppressed = "suppressed"

type sending struct {
	To     string `json:"to" jsonschema:"the name of an agent that runs, as list_agents gives it, or the id of its session, or * for all others"`
	Text   string `json:"text" jsonschema:"the message; the agent is told that it is from you"`
	Urgent bool   `json:"urgent,omitempty" jsonschema:"tell the hooks of the one who gets it that it cannot wait"`
}

type sent struct {
	Deliveries []Delivery `json:"deliveries"`
	LeftOut    int        `json:"left_out,omitempty" jsonschema:"how many more it was for"`
}

func (s *Server) addSend(server *sdk.Server, running context.Context) {
	add(server, running, tool[sending, sent]{
		name: "send_message", title: "Send a message to an agent",
		description: "Send a text to another agent that runs on this machine; it is typed into its terminal with your name when that is safe. An unknown name is an error with the nearest names, and nothing is sent. Its hooks may suppress the message, which you are told. At most 64 KiB; of more, send the path of a file.",
		hints:       sdk.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(true)},
		time:        sendTime,
		do: func(ctx context.Context, who string, in sending) (a answer[sent], err error) {
			switch {
			case strings.TrimSpace(session.Plain(in.To)) == "":
				return a, errors.New("to is empty; list_agents says who runs")
			case len(in.To) > mostQuery:
				return a, fmt.Errorf("to has %d bytes; it must be one name", len(in.To))
			case len(in.Text) > roster.MaxText:
				return a, fmt.Errorf("text has %d bytes; a message has at most %d: write it to a file and send its path", len(in.Text), roster.MaxText)
			case strings.TrimSpace(session.Plain(in.Text)) == "":
				return a, errors.New("text is empty; say something")
			}
			m := hook.Message{ID: session.NewID(), From: s.name(who), To: in.To, Content: in.Text}
			if m.From == "" {
				m.From = "an agent without a name"
			}
			if in.Urgent {
				m.Metadata = map[string]any{"urgent": true}
			}
			got, err := s.Send(ctx, s.self(), m)
			if err != nil {
				return a, err
			}
			return sentTo(got), nil
		},
	})
}

// self is the session that a message to all leaves out; "" if there is none.
func (s *Server) self() string {
	if s.Session != "" {
		return s.Session
	}
	if own, err := s.ownSession(); err == nil {
		return own.Session
	}
	return ""
}

// sentTo says what became of a message. If nobody has it, that is a failure.
func sentTo(got []Delivery) (a answer[sent]) {
	a.out.LeftOut = max(len(got)-mostAgents, 0)
	a.failed = true
	for _, d := range got {
		a.failed = a.failed && (d.Error != "" || d.State == suppressed)
	}
	a.out.Deliveries = []Delivery{}
	for _, d := range got[:min(len(got), mostAgents)] {
		d.To, d.Session, d.Reason, d.Error = oneLine(d.To), oneLine(d.Session), hook.LogLine(d.Reason), hook.LogLine(d.Error)
		a.out.Deliveries = append(a.out.Deliveries, d)
		switch {
		case d.Error != "":
			a.text += fmt.Sprintf("%s has not got the message: %s\n", d.To, d.Error)
		case d.Reason != "":
			a.text += fmt.Sprintf("%s: %s: %s\n", d.To, d.State, d.Reason)
		default:
			a.text += fmt.Sprintf("%s: %s\n", d.To, d.State)
		}
	}
	if a.out.LeftOut > 0 {
		a.text += fmt.Sprintf("and %d more\n", a.out.LeftOut)
	}
	return a
}
