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

// besideData is what goes with the data of a message: its subject, its headers and
// what the store adds.
const besideData = 1 << 10

// longest is how long the data of one message may be.
func (l *link) longest(s *stream) int {
	most := int64(maxPayload)
	for _, bound := range []int64{l.nc.MaxPayload(), s.mostMessage, s.mostBytes, l.b.c.MaxBytes} {
		if bound > 0 {
			most = min(most, bound)
		}
	}
	return int(most - besideData)
}

// room gives the first of some rows that the embedded server can take, so that it
// need not fail half-way. The last quarter of its files is for machines that have less
// than that there: one that is off for long must not hold up the others.
func (l *link) room(ctx context.Context, s *stream, rows []relay.Envelope) ([]relay.Envelope, error) {
	if l.srv == nil {
		return rows, nil
	}
	most := l.b.mostBytes()
	used := int64(l.srv.GlobalAccount().JetStreamUsage().Store)
	own := int64(-1) // of this stream; it is asked for when it matters
	for i, r := range rows {
		used += int64(len(r.Data)) + besideData
		if used <= most-most/4 {
			continue
		}
		if own < 0 {
			found, err := l.js.Stream(ctx, s.name)
			if err != nil {
				return nil, err
			}
			own = int64(found.CachedInfo().State.Bytes)
			for _, before := range rows[:i] {
				own += int64(len(before.Data)) + besideData
			}
		}
		if own += int64(len(r.Data)) + besideData; used > most || own > most/4 {
			if i == 0 {
				return nil, fmt.Errorf("the relay's files have room for %d bytes, and what was not fetched takes it", most)
			}
			return rows[:i], nil
		}
	}
	return rows, nil
}

// fitting is how many rows go as one batch.
func fitting(rows []relay.Envelope) int {
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
func (l *link) store(ctx context.Context, s *stream, machine string, rows []relay.Envelope, careful bool) (stored int, err error) {
	if len(rows) > 1 && s.batches && !careful {
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

func (l *link) message(machine string, r relay.Envelope) *nats.Msg {
	m := nats.NewMsg(l.b.place.subject(machine, l.b.machine))
	m.Header.Set("Nats-Msg-Id", r.ID)
	m.Data = r.Data
	return m
}

// storeBatch has the server take all rows or none. Only the last is answered, when
// all are on disk.
func (l *link) storeBatch(ctx context.Context, s *stream, machine string, rows []relay.Envelope) error {
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
		ack, err := l.commit(ctx, s, m)
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

// unanswered is when a batch may have failed half-way, which the server does not tell.
const unanswered = 200 * time.Millisecond

// commit publishes the end of a batch and waits until it is stored. If that takes
// long, it asks the stream something that is answered after the batch, or in its
// place if the batch has failed. A stream with replicas is not asked: it answers
// when they have the batch, which may be later.
func (l *link) commit(ctx context.Context, s *stream, m *nats.Msg) (ack, error) {
	if s.replicas > 1 {
		return l.ask(ctx, s, m)
	}
	wait, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	probe := nats.NewMsg(m.Subject) // the second of a batch that has no first: never stored
	probe.Header.Set("Nats-Batch-Id", rand.Text())
	probe.Header.Set("Nats-Batch-Sequence", "2")
	late := time.AfterFunc(unanswered, func() {
		if _, err := l.nc.RequestMsgWithContext(wait, probe); err == nil {
			cancel(&storeError{Text: "the server has not stored all of a batch"})
		}
	})
	defer late.Stop()
	a, err := l.ask(wait, s, m)
	var half *storeError
	if err != nil && errors.As(context.Cause(wait), &half) {
		return ack{}, half
	}
	return a, err
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
