package relay

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Query says which messages of an inbox are asked for; the zero value is all.
type Query struct {
	State  State  // only those; "" is any
	Thread string // only of that thread: its name, its first message's id, or the short form of that
	After  string // only those that came after that message (its id, or the short form), the first of them first
	Limit  int    // at most so many: the newest, or with After the first; 0 is 100
}

// Item is a message in an inbox.
type Item struct {
	Message Message `json:"message"`
	Receipt Receipt `json:"receipt"`
}

// Inbox gives what is and was for an agent of this machine, the newest last. It
// changes nothing.
func (s *Store) Inbox(ctx context.Context, agent string, q Query) ([]Item, error) {
	items, err := s.read(ctx).inbox(agent, q)
	return items, s.explain("read", err)
}

func (a access) inbox(agent string, q Query) ([]Item, error) {
	known, err := a.knownAgent(agent)
	if err != nil {
		return nil, err
	}
	query := "SELECT message.id, message.body, " + deliveryColumns + " FROM delivery d JOIN message ON message.id = d.message WHERE d.machine = '' AND d.agent = ?"
	args := []any{known}
	if q.State != "" {
		in, err := stagesOf(q.State)
		if err != nil {
			return nil, err
		}
		query += " AND d.state IN (" + in + ")"
	}
	if q.Thread != "" {
		thread := q.Thread
		if id, err := a.fullID(thread, known); err == nil {
			thread = id
		} else if !isRefusal(err) {
			return nil, err
		}
		query += " AND json_extract(message.body, '$.thread') IN (?, ?)"
		args = append(args, q.Thread, thread)
	}
	order := " DESC"
	if q.After != "" {
		id, err := a.fullID(q.After, known)
		if err != nil {
			return nil, err
		}
		query += " AND d.seq > (SELECT seq FROM delivery WHERE message = ? AND machine = '' AND agent = ?)"
		args, order = append(args, id, known), ""
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	items, err := a.items(query+" ORDER BY d.seq"+order+" LIMIT ?", append(args, q.Limit)...)
	if q.After == "" {
		slices.Reverse(items)
	}
	return items, err
}

func (a access) items(query string, args ...any) ([]Item, error) {
	var items []Item
	var id, body string
	var d delivery
	err := a.each(append([]any{&id, &body}, d.fields()...), func() error {
		m, err := a.s.parseBody(id, body)
		items = append(items, Item{Message: m, Receipt: d.receipt()})
		return err
	}, query, args...)
	return items, err
}

// stagesOf lists what a state is kept as.
func stagesOf(state State) (string, error) {
	var in []string
	for st := inOutbox; st <= dead; st++ {
		if states[st] == state {
			in = append(in, fmt.Sprint(int(st)))
		}
	}
	if in == nil {
		return "", &refusal{fmt.Sprintf("there is no state %q: use accepted, injected, seen, replied, suppressed, refused or dead", state)}
	}
	return strings.Join(in, ","), nil
}
