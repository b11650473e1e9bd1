package relay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Receipts gives a message, by its id or the short form of it, and how far it is
// with each receiver.
func (s *Store) Receipts(ctx context.Context, id string) (m Message, receipts []Receipt, err error) {
	a := s.read(ctx)
	if id, err = a.fullID(strings.TrimSpace(id), ""); err == nil {
		m, receipts, err = a.receipts(id)
	}
	return m, receipts, s.explain("read", err)
}

// SentBy gives the last n messages that an agent has sent, the newest last.
func (s *Store) SentBy(ctx context.Context, agent string, n int) ([]Message, error) {
	var id, body string
	var all []Message
	err := s.read(ctx).each([]any{&id, &body}, func() error {
		m, err := s.parseBody(id, body)
		all = append(all, m)
		return err
	}, "SELECT id, body FROM message WHERE sender = ? AND machine = '' ORDER BY kept DESC, id DESC LIMIT ?", key(agent), n)
	slices.Reverse(all)
	return all, s.explain("read", err)
}

// receipts gives what is known of a message's receivers, in the order in which they
// were given it.
func (a access) receipts(id string) (m Message, receipts []Receipt, err error) {
	m, found, err := a.message(id)
	if err == nil && !found {
		err = &UnknownError{Kind: "message", Name: id}
	}
	if err != nil {
		return m, nil, err
	}
	var rows []delivery
	var d delivery
	err = a.each(d.fields(), func() error { rows = append(rows, d); return nil },
		"SELECT "+deliveryColumns+" FROM delivery d WHERE d.message = ? ORDER BY d.seq", id)
	if err != nil {
		return m, nil, err
	}
	why := reasons{a: a, many: len(rows) > 1}
	for _, d := range rows {
		r := d.receipt()
		if d.stage < begun {
			if r.Reason, err = why.of(d); err != nil {
				return m, nil, err
			}
		}
		receipts = append(receipts, r)
	}
	if m.To == "*" || strings.HasPrefix(m.To, "#") {
		more, err := a.expected(m)
		return m, append(receipts, more...), err
	}
	return m, receipts, nil
}

// expected are the receipts of the receivers that a message to many will have, of
// those machines that have not got it yet.
func (a access) expected(m Message) ([]Receipt, error) {
	machines, err := a.strings("SELECT machine FROM outbox WHERE message = ? AND machine <> '' ORDER BY seq", m.ID)
	if err != nil {
		return nil, err
	}
	var receipts []Receipt
	for _, machine := range machines {
		d := delivery{message: m.ID, machine: machine, name: m.To, accepted: sqlite.Micros(m.Sent)}
		r := d.receipt()
		if r.Reason, err = a.onItsWay(machine); err != nil {
			return nil, err
		}
		receipts = append(receipts, r)
	}
	return receipts, nil
}

const fullText = "its inbox is full: %d messages wait"

func fullReason(n int) string { return fmt.Sprintf(fullText, n) }

// member is one of those who get a message to many.
type member struct {
	key, name string
	waiting   int
}

// members are the agents of this machine that a message to a channel or to everyone
// is for.
func (a access) members(m Message) ([]member, error) {
	from, args := a.ofMany(m)
	var one member
	var all []member
	err := a.each([]any{&one.key, &one.name, &one.waiting}, func() error { all = append(all, one); return nil }, "SELECT agent.key, agent.name, agent.waiting "+from+" ORDER BY agent.key", args...)
	return all, err
}

// ofMany is how those are selected.
func (a access) ofMany(m Message) (from string, args []any) {
	sender := key(m.From)
	if m.Machine != a.s.machine && m.Machine != "" {
		sender = "" // no agent here
	}
	if channel, ok := strings.CutPrefix(m.To, "#"); ok {
		return "FROM member JOIN agent ON agent.key = member.agent WHERE agent.key <> ? AND member.channel = ?", []any{sender, key(channel)}
	}
	return `FROM agent WHERE agent.key <> ? AND (agent.kind <> '` + KindHooks + `' OR agent.seen > ? OR EXISTS (SELECT 1 FROM seat WHERE seat.agent = agent.key))`,
		[]any{sender, sqlite.Micros(a.s.now().Add(-unwrappedKept))}
}

// unwrappedKept is how long an agent without a wrapper gets what is for all after it was
// here last: most such sessions never come back, and there are ever more of them.
const unwrappedKept = 24 * time.Hour

// reasons say why messages wait.
type reasons struct {
	a       access
	many    bool            // ask once for all agents
	running map[string]bool // by key
	since   map[string]int64
}

// of says why a message waits that has not been begun.
func (r *reasons) of(d delivery) (string, error) {
	if d.machine != "" {
		if d.stage != inOutbox {
			return d.reason, nil // as that machine has said
		}
		return r.a.onItsWay(d.machine)
	}
	only := d.agent
	if r.many {
		only = ""
	}
	if r.running == nil {
		alive, gone, err := r.a.present(only)
		if err != nil {
			return "", err
		}
		r.running, r.since = map[string]bool{}, map[string]int64{}
		for _, consumer := range alive {
			r.running[consumer.agent] = true
		}
		ended := map[string]int64{} // of those not cleaned up yet
		for _, consumer := range gone {
			ended[consumer.agent] = max(ended[consumer.agent], sqlite.Micros(consumer.heard))
		}
		var agent string
		var since int64
		var kind string
		query, args := "SELECT key, since, kind FROM agent WHERE key = ?", []any{only}
		if r.many {
			query, args = "SELECT key, since, kind FROM agent", nil
		}
		err = r.a.each([]any{&agent, &since, &kind}, func() error {
			if r.since[agent] = max(since, ended[agent]); kind == KindPerson { // who looks when they like, and is never missing
				r.running[agent] = true
			}
			return nil
		}, query, args...)
		if err != nil {
			return "", err
		}
	}
	if r.running[d.agent] {
		return "", nil
	}
	return offline(sqlite.Moment(r.since[d.agent])), nil
}

func offline(since time.Time) string {
	if since.IsZero() {
		return "offline"
	}
	return "offline since " + at(since)
}

// quiet is how long a machine may be silent before receipts say so.
const quiet = 3 * time.Minute

// onItsWay says why a message has not got to another machine.
func (a access) onItsWay(machine string) (string, error) {
	var heard int64
	known, err := a.get([]any{&heard}, "SELECT heard FROM peer WHERE machine = ?", machine)
	if err != nil || !known {
		return onItsWay + machine, err
	}
	if when := sqlite.Moment(heard); a.s.now().Sub(when) > quiet {
		return fmt.Sprintf("queued here: %s was last heard of %s", machine, at(when)), nil
	}
	return onItsWay + machine, nil
}

const onItsWay = "on its way to "

// OnItsWay reports whether the reason of a receipt is only that a message has not
// got to another machine yet, which was in contact lately.
func OnItsWay(reason string) bool { return strings.HasPrefix(reason, onItsWay) }
