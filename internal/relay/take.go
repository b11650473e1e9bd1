package relay

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Taken is a message for the session.
type Taken struct {
	Message Message
	Again   *Attempt // set if a process that has ended meanwhile has begun to inject it
}

// Attempt is what is known of an injection that was begun and not finished.
type Attempt struct {
	Text       string // as given to Begin
	Session    string
	Transcript string
	History    string
	How        string
	At         time.Time
}

// Take gives up to most messages that wait, the most urgent first, and of the same
// priority those that arrived first. It gives none twice, unless it was released or
// has failed meanwhile.
func (seat *Seat) Take(ctx context.Context, most int) ([]Taken, error) {
	got, err := seat.take(ctx, most)
	return got, seat.s.explain("read", err)
}

// waiting is a row that a seat may take.
type waiting struct {
	delivery
	body string
}

func (seat *Seat) take(ctx context.Context, most int) ([]Taken, error) {
	rows, err := seat.takeable(ctx, most)
	if len(rows) == 0 || err != nil {
		return nil, err
	}
	if rows, err = seat.adopt(ctx, rows); err != nil {
		return nil, err
	}
	seat.mu.Lock()
	defer seat.mu.Unlock()
	var got []Taken
	for _, row := range rows {
		m, err := seat.s.parseBody(row.message, row.body)
		if err != nil {
			return nil, err
		}
		if _, twice := seat.taken[row.message]; twice {
			continue // by another goroutine
		}
		seat.taken[row.message] = taken{row.seq}
		t := Taken{Message: m}
		if row.stage == begun {
			t.Again = &Attempt{Text: row.text, Session: row.injectedIn, Transcript: row.transcript, History: row.history, How: row.how, At: moment(row.begun)}
		}
		got = append(got, t)
	}
	return got, nil
}

// takeable gives the rows that the seat may take, in their order.
func (seat *Seat) takeable(ctx context.Context, most int) ([]waiting, error) {
	leads, err := seat.leads(ctx)
	if err != nil {
		return nil, err
	}
	a := seat.s.read(ctx)
	seat.mu.Lock()
	mine, held := seat.p.Session, make(map[string]bool, len(seat.taken))
	for id := range seat.taken {
		held[id] = true
	}
	seat.mu.Unlock()
	query := "SELECT message.body, " + deliveryColumns + ` FROM delivery d JOIN message ON message.id = d.message
		WHERE d.machine = '' AND d.agent = ? AND d.state IN (1, 2) AND `
	args := []any{seat.agent}
	if leads {
		// What is for a session that has ended is for the agent.
		others, _, err := a.sitting(seat.agent)
		if err != nil {
			return nil, err
		}
		var list []string
		for _, other := range others {
			if other.session != mine {
				list = append(list, other.session)
			}
		}
		query += "d.session NOT IN (SELECT value FROM json_each(?))"
		args = append(args, jsonList(list))
	} else {
		query += "d.session = ?"
		args = append(args, mine)
	}
	var rows []waiting
	var row waiting
	alive := map[string]bool{seat.id: true}
	err = a.each(append([]any{&row.body}, row.fields()...), func() error {
		if held[row.message] {
			return nil
		}
		if row.stage == begun && row.owner != "" {
			if _, asked := alive[row.owner]; !asked {
				ok, _, err := seat.s.alive(row.owner)
				if err != nil {
					return err
				}
				alive[row.owner] = ok
			}
			if alive[row.owner] {
				return nil
			}
		}
		if rows = append(rows, row); len(rows) >= most {
			return errEnough
		}
		return nil
	}, query+" ORDER BY d.priority DESC, d.arrival", args...)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows, err
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough")

// adopt makes the seat the owner of what dead ones have begun, so that no other one
// takes it too. What they have noted stays until it is begun again.
func (seat *Seat) adopt(ctx context.Context, rows []waiting) ([]waiting, error) {
	if !slices.ContainsFunc(rows, func(w waiting) bool { return w.stage == begun }) {
		return rows, nil
	}
	var got []waiting
	err := seat.s.write(ctx, func(a access) error {
		got = nil
		for _, row := range rows {
			if row.stage == begun {
				n, err := a.exec("UPDATE delivery SET owner = ? WHERE seq = ? AND state = 2 AND owner = ?", seat.id, row.seq, row.owner)
				if err != nil {
					return err
				}
				if n == 0 {
					continue // another one was first
				}
			}
			got = append(got, row)
		}
		return nil
	})
	return got, err
}

// jsonList is how a list is given to a query.
func jsonList(list []string) string {
	text, _ := json.Marshal(append([]string{}, list...)) // strings cannot fail
	return string(text)
}

// Wait waits until there may be something in Take.
func (seat *Seat) Wait(ctx context.Context) error {
	err := seat.poked.until(ctx, func() (bool, error) {
		seat.mu.Lock()
		closed := seat.closed
		seat.mu.Unlock()
		if closed {
			return true, nil
		}
		rows, err := seat.takeable(ctx, 1)
		return len(rows) > 0, err
	})
	return seat.s.explain("read", err)
}
