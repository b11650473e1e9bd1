package bus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/nats-io/nats.go"
)

// Bounds of what is under way between outbox and stream.
const (
	mostRows  = 256     // of the outbox, in memory
	batchRows = 128     // on their way
	batchSize = 4 << 20 // of their text
)

// pump publishes the outbox, in its order.
func (l *link) pump(ctx context.Context) error {
	var p pause
	surveyed, failed := false, 0
	for {
		err := error(nil)
		if !surveyed {
			err = l.survey(ctx)
			surveyed = err == nil
		}
		stuck := false
		if err == nil {
			stuck, err = l.pumpOnce(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			p, failed, l.careful = 0, 0, false
			l.b.works("publish")
			continue
		}
		l.careful = true
		l.b.fails("publish", err)
		if failed++; l.gone() || stuck && failed > 2 {
			return errGone
		}
		if p.wait(ctx, l.retry) == nil && p == 0 {
			surveyed = false // a new connection, perhaps to a new server
		}
	}
}

// pumpOnce publishes the first rows of the outbox, or waits for some.
func (l *link) pumpOnce(ctx context.Context) (stuck bool, err error) {
	rows, err := l.b.store.Outgoing(ctx, mostRows)
	if err != nil {
		return false, fmt.Errorf("the outbox cannot be read: %w", err)
	}
	l.b.set(func(s *state) { s.outgoing = len(rows) })
	if len(rows) == 0 {
		l.b.remember()
		return false, l.b.store.WaitOutgoing(ctx)
	}
	machines, by := byMachine(rows)
	for _, machine := range machines { // one that fails does not hold up the others
		e := l.publish(ctx, machine, by[machine])
		var bad *storeError
		stuck = stuck || errors.As(e, &bad) && bad.stuck()
		if e != nil && err == nil {
			err = e
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return stuck, err
}

// byMachine sorts rows by where they go; those of one machine stay in order.
func byMachine(rows []relay.Parcel) (machines []string, by map[string][]relay.Parcel) {
	by = map[string][]relay.Parcel{}
	for _, r := range rows {
		if by[r.Machine] == nil {
			machines = append(machines, r.Machine)
		}
		by[r.Machine] = append(by[r.Machine], r)
	}
	return machines, by
}

// publish stores rows for one machine, in order, and tells the outbox of those that
// are stored. It stops at the first that is not.
func (l *link) publish(ctx context.Context, machine string, rows []relay.Parcel) error {
	s, fresh, err := l.stream(ctx, machine)
	if err == nil && fresh {
		return nil // there may be rows before these now
	}
	for err == nil && len(rows) > 0 {
		var stored int
		part := rows[:fitting(rows)]
		stored, err = l.store(ctx, s, machine, part)
		if stored > 0 {
			seqs := make([]int64, stored)
			for i, r := range part[:stored] {
				seqs[i] = r.Seq
			}
			if e := l.b.store.Published(ctx, seqs); e != nil {
				return fmt.Errorf("the outbox cannot be written: %w", e)
			}
		}
		rows = rows[stored:]
	}
	if err == nil {
		return nil
	}
	l.forget(machine)
	return fmt.Errorf("messages for %s cannot be stored; they wait in the outbox: %w", machine, l.explain(err))
}

// fitting is how many rows go as one batch.
func fitting(rows []relay.Parcel) int {
	size := 0
	for i, r := range rows {
		if size += len(r.Data); i > 0 && (i == batchRows || size > batchSize) {
			return i
		}
	}
	return len(rows)
}

// store puts rows into a stream: all at once, or, if the server does not take them
// so (it has one of them, or does not know batches), one after the other.
func (l *link) store(ctx context.Context, s *stream, machine string, rows []relay.Parcel) (stored int, err error) {
	if len(rows) > 1 && s.batches && !l.careful {
		err := l.storeBatch(ctx, s, machine, rows)
		if err == nil {
			return len(rows), nil
		}
		var no *storeError
		if !errors.As(err, &no) {
			return 0, err
		}
	}
	for i, r := range rows {
		ack, err := l.ask(ctx, s, l.message(machine, r))
		if err != nil {
			return i, err
		}
		l.b.known.reach(machine, ack.Seq)
	}
	return len(rows), nil
}

func (l *link) message(machine string, r relay.Parcel) *nats.Msg {
	m := nats.NewMsg(l.b.place.subject(machine, l.b.machine))
	m.Header.Set("Nats-Msg-Id", r.ID)
	m.Data = r.Data
	return m
}

// storeBatch has the server take all rows or none. Only the last is answered, when
// all are on disk.
func (l *link) storeBatch(ctx context.Context, s *stream, machine string, rows []relay.Parcel) error {
	id := rand.Text()
	for i, r := range rows {
		m := l.message(machine, r)
		m.Header.Set("Nats-Batch-Id", id)
		m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		if i < len(rows)-1 {
			if err := l.nc.PublishMsg(m); err != nil {
				return err
			}
			continue
		}
		m.Header.Set("Nats-Batch-Commit", "1")
		ack, err := l.ask(ctx, s, m)
		if err != nil {
			return err
		}
		l.b.known.reach(machine, ack.Seq)
		if ack.Count != len(rows) {
			return &storeError{Text: fmt.Sprintf("the server has taken %d of %d messages", ack.Count, len(rows))}
		}
	}
	return nil
}

// ack is the answer to what was published.
type ack struct {
	Error  *storeError `json:"error"`
	Stream string      `json:"stream"`
	Seq    uint64      `json:"seq"`
	Count  int         `json:"count"` // of a batch
}

// storeError is a refusal of the server.
type storeError struct {
	Code int    `json:"err_code"`
	Text string `json:"description"`
}

func (e *storeError) Error() string {
	if e.Code == 0 {
		return e.Text
	}
	return fmt.Sprintf("%s (%d)", e.Text, e.Code)
}

// stuck reports whether a server that says this will say it until it is started
// anew: a stream whose file could not be written once takes nothing more.
func (e *storeError) stuck() bool {
	const storeFailed = 10077
	return e.Code == storeFailed && !strings.Contains(e.Text, "maximum")
}

// ask publishes and waits until it is stored.
func (l *link) ask(ctx context.Context, s *stream, m *nats.Msg) (ack, error) {
	wait, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	answer, err := l.nc.RequestMsgWithContext(wait, m)
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the server did not answer in %v", callTime/time.Second*time.Second)
		}
		return ack{}, err
	}
	var a ack
	if err := json.Unmarshal(answer.Data, &a); err != nil {
		return ack{}, fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	if a.Error != nil {
		return ack{}, a.Error
	}
	if a.Stream != s.name {
		return ack{}, fmt.Errorf("another stream, %s, has taken a message; remove what it takes of hookway.v1.>", a.Stream)
	}
	return a, nil
}
