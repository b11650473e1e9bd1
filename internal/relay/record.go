package relay

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// keep stores a message.
func (a access) keep(m Message) error {
	if m.Machine == a.s.machine {
		m.Machine = ""
	}
	body, err := encode(m)
	if err != nil {
		return err
	}
	_, err = a.exec("INSERT INTO message (id, short, sender, machine, by_agent, kept, body) VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING",
		m.ID, Short(m.ID), key(m.From), m.Machine, m.Agent, sqlite.Micros(a.s.now()), string(body))
	return err
}

// message reads what is kept under an id.
func (a access) message(id string) (m Message, found bool, err error) {
	var body string
	if found, err = a.get([]any{&body}, "SELECT body FROM message WHERE id = ?", id); !found || err != nil {
		return m, found, err
	}
	m, err = a.s.parseBody(id, body)
	return m, err == nil, err
}

func (s *Store) parseBody(id, body string) (m Message, err error) {
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return m, fmt.Errorf("the message %s is not as it was kept: %w", id, err)
	}
	if m.Machine == "" {
		m.Machine = s.machine
	}
	return m, nil
}

// fullID finds the id that an id or the short form of one stands for. Of several with
// one short form it is the last that the agent has got or sent, then the last.
func (a access) fullID(id, agent string) (string, error) {
	var full string
	found, err := a.get([]any{&full}, "SELECT id FROM message WHERE id = ?", id)
	if found || err != nil {
		return full, err
	}
	found, err = a.get([]any{&full}, `SELECT id FROM message WHERE short = ? ORDER BY
		EXISTS (SELECT 1 FROM delivery WHERE delivery.message = message.id AND delivery.machine = '' AND delivery.agent = ?) OR sender = ? DESC,
		kept DESC LIMIT 1`, Short(id), agent, agent)
	if err == nil && (!found || len(id) > len(Short(id)) && full != id) {
		err = &UnknownError{Kind: "message", Name: id}
	}
	return full, err
}

// delivery is a row of the ledger.
type delivery struct {
	seq                       int64
	message, machine          string
	agent, name, session      string
	sender, origin            string
	stage                     stage
	priority                  int
	arrival                   int64
	owner, injectedIn         string
	text, transcript, history string
	how                       string
	repeat                    bool
	tries                     int
	reason, reply             string
	accepted, begun           int64
	injected, seen, replied   int64
}

const deliveryColumns = "d.seq, d.message, d.machine, d.agent, d.name, d.session, d.sender, d.origin, d.state, d.priority, d.arrival, d.owner, d.injected_in, " +
	"d.text, d.transcript, d.history, d.how, d.repeat, d.tries, d.reason, d.reply, d.accepted, d.begun, d.injected, d.seen, d.replied"

func (d *delivery) fields() []any {
	return []any{&d.seq, &d.message, &d.machine, &d.agent, &d.name, &d.session, &d.sender, &d.origin, &d.stage, &d.priority, &d.arrival, &d.owner, &d.injectedIn,
		&d.text, &d.transcript, &d.history, &d.how, &d.repeat, &d.tries, &d.reason, &d.reply, &d.accepted, &d.begun, &d.injected, &d.seen, &d.replied}
}

// insert adds a row; it reports whether there was none for the message and receiver.
func (a access) insert(d delivery) (bool, error) {
	n, err := a.exec(`INSERT INTO delivery (message, machine, agent, name, session, sender, origin, state, priority, arrival, reason, accepted)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`,
		d.message, d.machine, d.agent, d.name, d.session, d.sender, d.origin, int(d.stage), d.priority, d.arrival, d.reason, d.accepted)
	return n > 0, err
}

// of gives the row of a message and a receiver.
func (a access) of(message, machine, agent string) (d delivery, found bool, err error) {
	found, err = a.get(d.fields(), "SELECT "+deliveryColumns+" FROM delivery d WHERE d.message = ? AND d.machine = ? AND d.agent = ?", message, machine, agent)
	return d, found, err
}

// receipt is what the sender may know of it.
func (d *delivery) receipt() Receipt {
	to := d.name
	if d.machine != "" {
		to += "@" + d.machine
	}
	return Receipt{
		Message: d.message, To: to, State: states[d.stage], Reason: d.reason, Session: d.injectedIn, How: d.how, Repeat: d.repeat, Reply: d.reply,
		Accepted: sqlite.Moment(d.accepted), Injected: sqlite.Moment(d.injected), Seen: sqlite.Moment(d.seen), Replied: sqlite.Moment(d.replied),
	}
}

// at writes a time for people.
func at(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }
