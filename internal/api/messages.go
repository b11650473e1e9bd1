package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

// Relay is where messages between agents are kept and carried.
type Relay interface {
	// Notify says that there is something to carry. It is quick. The problem is why
	// nothing is carried now; what was sent is kept all the same.
	Notify() (problem string, err error)

	// Send sends a message, with the hooks of the folder that it is sent from.
	Send(ctx context.Context, s Sending) (delivery.Sent, error)

	// Page gives messages, whoever they are from and for.
	Page(ctx context.Context, q relay.PageQuery) (relay.Page, error)

	Receipts(ctx context.Context, id string) (relay.Message, []relay.Receipt, error)
	Agents(ctx context.Context) ([]relay.Agent, error)
	Inbox(ctx context.Context, agent string, q relay.Query) ([]relay.Item, error)

	// Take hands out what waits for an agent, with the hooks of the folder of the
	// program that it is handed out to. See [delivery.Leases.Take].
	Take(ctx context.Context, t Taking) (Leased, error)

	// Confirm notes what a program has got of that. See [delivery.Leases.Confirm].
	Confirm(ctx context.Context, agent string, ids []string) (delivery.Confirmed, error)
}

// Taking is what a program wants to have of the messages of an agent. Its Hooks are
// not set: they are those of CWD, "" being the user's own.
type Taking struct {
	delivery.TakeRequest
	Foreign bool // as in Sending
}

// Leased is what a program is given.
type Leased struct {
	*delivery.Lease
	Machine string // this one
	Waiting int    // messages beside those
}

// Sending is a message that a program sends.
type Sending struct {
	relay.Message
	CWD     string // the folder whose hooks are asked; "": the user's own
	Foreign bool   // who sends may be another user, or on another machine
}

// sendRequest is the body of POST /v1/messages.
type sendRequest struct {
	ID       string          `json:"id"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Content  string          `json:"content"`
	Thread   string          `json:"thread"`
	ReplyTo  string          `json:"reply_to"`
	Priority string          `json:"priority"`
	Metadata json.RawMessage `json:"metadata"`
	CWD      string          `json:"cwd"`
}

func (r *sendRequest) fields() map[string]any {
	return map[string]any{
		"id": &r.ID, "from": &r.From, "to": &r.To, "content": &r.Content, "thread": &r.Thread, "reply_to": &r.ReplyTo,
		"priority": &r.Priority, "metadata": &r.Metadata, "cwd": &r.CWD,
	}
}

// program is the name of a sender that gives none.
const program = "program"

// relayed answers only where there is a relay.
func (d *Server) relayed(answer func(http.ResponseWriter, *http.Request, origin) (int, error)) func(http.ResponseWriter, *http.Request, origin) (int, error) {
	return func(w http.ResponseWriter, r *http.Request, o origin) (int, error) {
		if d.Relay == nil {
			return 0, problem("nothing-to-stream", "this daemon carries no messages")
		}
		return answer(w, r, o)
	}
}

// decodeSend reads a body strictly. The error is a *problemDetails.
func decodeSend(body []byte, o origin) (Sending, error) {
	var r sendRequest
	if err := decodeObject(body, r.fields()); err != nil {
		return Sending{}, err
	}
	s := Sending{CWD: r.CWD, Foreign: o.foreign, Message: relay.Message{
		ID: r.ID, From: r.From, To: r.To, Content: r.Content, Thread: r.Thread, ReplyTo: r.ReplyTo, Priority: relay.Priority(r.Priority),
	}}
	if err := relay.Thread(r.Thread); err != nil {
		return s, problem("bad-request", "%v", err).at("thread")
	}
	if s.From == "" {
		s.From = program
	}
	if len(r.Metadata) > 0 {
		if r.Metadata[0] != '{' {
			return s, problem("bad-request", "metadata must be a JSON object").at("metadata")
		}
		if err := json.Unmarshal(r.Metadata, &s.Metadata); err != nil {
			return s, problem("bad-request", "metadata: %v", err).at("metadata")
		}
	}
	if r.To == "" && r.ReplyTo == "" {
		return s, problem("bad-request", `the message has no receiver; send {"to":"Alice","content":"..."}`).at("to")
	}
	return s, isFolder(r.CWD)
}

// sentMessage is the answer to POST /v1/messages.
type sentMessage struct {
	trackedMessage
	Note string `json:"note,omitempty"` // of the sender's hooks
}

// trackedMessage is a message and how far it is.
type trackedMessage struct {
	ID       string          `json:"id"`
	Short    string          `json:"short"`
	Message  relay.Message   `json:"message"`
	Receipts []relay.Receipt `json:"receipts"`
}

func track(m relay.Message, receipts []relay.Receipt) trackedMessage {
	if receipts == nil {
		receipts = []relay.Receipt{}
	}
	return trackedMessage{ID: m.ID, Short: relay.Short(m.ID), Message: m, Receipts: receipts}
}

// sendMessage answers POST /v1/messages.
func (d *Server) sendMessage(w http.ResponseWriter, r *http.Request, o origin) (size int, err error) {
	body, giveBack, err := d.readBody(w, r, mostSaid)
	if err != nil {
		return 0, err
	}
	defer giveBack()
	answer, err := d.once(r, body, func() ([]byte, error) {
		s, err := decodeSend(body, o)
		if err != nil {
			return nil, err
		}
		posted, err := d.Relay.Send(r.Context(), s)
		if err != nil {
			return nil, unsent(err)
		}
		text, err := json.Marshal(sentMessage{track(posted.Message, posted.Receipts), posted.Note})
		return append(text, '\n'), err
	})
	if err != nil {
		return len(body), err
	}
	writeText(w, "application/json", http.StatusOK, answer)
	return len(body), nil
}

// unsent is the problem of a message that was not sent, or not found.
func unsent(err error) error {
	var (
		unknown    *relay.UnknownError
		ambiguous  *relay.AmbiguousError
		full       *relay.FullError
		limit      *relay.LimitError
		suppressed *delivery.SuppressedError
		long       *relay.LongError
		id         *relay.IDError
	)
	switch {
	case errors.As(err, &unknown):
		return problem("unknown-name", "%v", err)
	case errors.As(err, &ambiguous):
		return problem("ambiguous-name", "%v", err)
	case errors.As(err, &full):
		return problem("inbox-full", "%v", err).with("Retry-After", "60")
	case errors.As(err, &limit):
		return problem("limit", "%v", err).with("Retry-After", "60")
	case errors.As(err, &suppressed):
		return problem("suppressed", "%v", err)
	case errors.Is(err, relay.ErrNobody):
		return problem("unknown-name", "%v", err)
	case errors.As(err, &id):
		return problem("id-in-use", "%v", err)
	case errors.As(err, &long):
		return problem("too-large", "%v", err)
	case relay.Refused(err):
		return problem("bad-request", "%v", err)
	}
	return err
}

// message answers GET /v1/messages/{id}.
func (d *Server) message(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	m, receipts, err := d.Relay.Receipts(r.Context(), r.PathValue("name"))
	if err != nil {
		return 0, unsent(err)
	}
	writeJSON(w, "application/json", http.StatusOK, track(m, receipts))
	return 0, nil
}

// agents answers GET /v1/agents.
func (d *Server) agents(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	all, err := d.Relay.Agents(r.Context())
	if err != nil {
		return 0, err
	}
	if all == nil {
		all = []relay.Agent{}
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"agents": all})
	return 0, nil
}

// mostItems is how many messages of an inbox are given at once.
const mostItems = 1000

// messagesOf answers GET /v1/inbox/{agent}: what is and was for an agent.
func (d *Server) messagesOf(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "state", "thread", "after", "limit")
	if err != nil {
		return 0, err
	}
	ask := relay.Query{State: relay.State(q.Get("state")), Thread: q.Get("thread"), After: q.Get("after"), Limit: 100}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostItems {
			return 0, problem("bad-request", "limit: %q is not a number from 1 to %d", text, mostItems).at("limit")
		}
		ask.Limit = n
	}
	if !knownState(ask.State) {
		return 0, problem("bad-request", "state: %q is none; it is accepted, injected, seen, replied, suppressed, refused or dead", ask.State).at("state")
	}
	items, err := d.Relay.Inbox(r.Context(), r.PathValue("name"), ask)
	if err != nil {
		return 0, unsent(err)
	}
	if items == nil {
		items = []relay.Item{}
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"messages": items})
	return 0, nil
}

func knownState(s relay.State) bool {
	switch s {
	case "", relay.StateAccepted, relay.StateInjected, relay.StateSeen, relay.StateReplied, relay.StateSuppressed, relay.StateRefused, relay.StateDead:
		return true
	}
	return false
}

// notify answers POST /v1/relay/poke, which those of this machine alone may ask for.
func (d *Server) notify(w http.ResponseWriter, _ *http.Request, o origin) (int, error) {
	if o.foreign {
		return 0, problem("not-allowed", "the relay is notified at the daemon's own socket; POST /v1/messages does all that is needed here")
	}
	why, err := d.Relay.Notify()
	if err != nil {
		return 0, problem("stopping", "%v", err).with("Retry-After", "1")
	}
	writeJSON(w, "application/json", http.StatusOK, struct {
		Status  string `json:"status"`
		Problem string `json:"problem,omitempty"`
	}{"ok", why})
	return 0, nil
}
