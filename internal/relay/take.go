package relay

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
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
func (consumer *Consumer) Take(ctx context.Context, most int) ([]Taken, error) {
	got, err := consumer.take(ctx, most)
	return got, consumer.s.explain("read", err)
}

// waiting is a row that a consumer may take.
type waiting struct {
	delivery
	body string
}

func (consumer *Consumer) take(ctx context.Context, most int) ([]Taken, error) {
	rows, err := consumer.takeable(ctx, most)
	if len(rows) == 0 || err != nil {
		return nil, err
	}
	if rows, err = consumer.adopt(ctx, rows); err != nil {
		return nil, err
	}
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	var got []Taken
	for _, row := range rows {
		m, err := consumer.s.parseBody(row.message, row.body)
		if err != nil {
			return nil, err
		}
		if _, given := consumer.taken[row.message]; given {
			continue // by another goroutine
		}
		consumer.taken[row.message] = row.stage == begun
		t := Taken{Message: m}
		if row.stage == begun {
			t.Again = &Attempt{Text: row.text, Session: row.injectedIn, Transcript: row.transcript, History: row.history, How: row.how, At: sqlite.Moment(row.begun)}
		}
		got = append(got, t)
	}
	return got, nil
}

// takeable gives the rows that the consumer may take, in their order.
func (consumer *Consumer) takeable(ctx context.Context, most int) ([]waiting, error) {
	leads, err := consumer.leads(ctx)
	if err != nil {
		return nil, err
	}
	a := consumer.s.read(ctx)
	mine := consumer.presence().Session
	which, of := "d.session = ?", mine
	if leads {
		// What is for a session that has ended is for the agent.
		others, _, err := a.present(consumer.agent)
		if err != nil {
			return nil, err
		}
		which, of = "d.session NOT IN (SELECT value FROM json_each(?))", sessions(others, mine)
	}
	choice := consumer.choose()
	var rows []waiting
	var row waiting
	err = a.each(append([]any{&row.body}, row.fields()...), func() error {
		ok, err := choice.takes(&row)
		if !ok || err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) >= most {
			return errEnough
		}
		return nil
	}, "SELECT message.body, "+deliveryColumns+` FROM delivery d JOIN message ON message.id = d.message
		WHERE d.machine = '' AND d.agent = ? AND d.state IN (1, 2) AND `+which+" ORDER BY d.priority DESC, d.arrival", consumer.agent, of)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows, err
}

// sessions lists the sessions of consumers but one, for a query.
func sessions(consumers []live, but string) string {
	list := []string{}
	for _, consumer := range consumers {
		if consumer.session != but {
			list = append(list, consumer.session)
		}
	}
	text, _ := json.Marshal(list) // strings cannot fail
	return string(text)
}

// choice tells which rows a consumer may take.
type choice struct {
	s     *Store
	given map[string]bool // ids of messages that it was given already
	alive map[string]bool // consumers, as far as they were asked for
	busy  map[string]bool // senders of whom a message is just injected by another consumer: the next ones wait
}

func (consumer *Consumer) choose() choice {
	c := choice{s: consumer.s, given: map[string]bool{}, alive: map[string]bool{consumer.id: true}, busy: map[string]bool{}}
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	for id := range consumer.taken {
		c.given[id] = true
	}
	return c
}

func (c choice) takes(row *waiting) (bool, error) {
	sender := half(row.sender, row.origin)
	if c.given[row.message] || c.busy[sender] {
		return false, nil
	}
	if row.stage != begun || row.owner == "" {
		return true, nil
	}
	alive, asked := c.alive[row.owner]
	if !asked {
		var err error
		if alive, _, err = c.s.alive(row.owner); err != nil {
			return false, err
		}
		c.alive[row.owner] = alive
	}
	c.busy[sender] = alive
	return !alive, nil
}

// adopt makes the consumer the owner of what dead ones have begun, so that no other one
// takes it too. What they have noted stays until it is begun again.
func (consumer *Consumer) adopt(ctx context.Context, rows []waiting) ([]waiting, error) {
	if !slices.ContainsFunc(rows, func(w waiting) bool { return w.stage == begun }) {
		return rows, nil
	}
	var got []waiting
	err := consumer.s.write(ctx, func(a access) error {
		got = nil
		for _, row := range rows {
			if row.stage == begun {
				n, err := a.exec("UPDATE delivery SET owner = ? WHERE seq = ? AND state = 2 AND owner = ?", consumer.id, row.seq, row.owner)
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

// Wait waits until there may be something in Take.
func (consumer *Consumer) Wait(ctx context.Context) error {
	err := consumer.notified.until(ctx, func() (bool, error) {
		consumer.mu.Lock()
		closed := consumer.closed
		consumer.mu.Unlock()
		if closed {
			return true, nil
		}
		rows, err := consumer.takeable(ctx, 1)
		return len(rows) > 0, err
	})
	return consumer.s.explain("read", err)
}
