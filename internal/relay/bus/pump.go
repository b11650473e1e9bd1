package bus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/nats-io/nats.go"
)

// Bounds of what is under way between outbox and stream, for one machine.
const (
	mostRows  = 256     // of the outbox, in memory
	batchRows = 128     // on their way
	batchSize = 4 << 20 // of their text
	mostLanes = 8       // machines at once; all others wait for their turn, but never this one
)

// pump publishes the outbox. Each machine has a lane of its own, so that one whose
// stream takes nothing holds up no other.
type pump struct {
	*link
	group *group
	turns chan struct{}

	mu    sync.Mutex
	lanes map[string]chan struct{} // kicks of those that are under way, by machine
}

func newPump(l *link, g *group) *pump {
	return &pump{link: l, group: g, turns: make(chan struct{}, mostLanes), lanes: map[string]chan struct{}{}}
}

// run begins a lane for each machine that something waits for.
func (p *pump) run(ctx context.Context) error {
	p.survey()
	p.group.start(p.heed)
	var wait pause
	for {
		machines, err := p.b.store.Targets(ctx, p.under)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.b.fails("outbox", fmt.Errorf("the outbox cannot be read: %w", err))
			_ = wait.wait(ctx, nil)
			continue
		}
		wait = 0
		p.b.works("outbox")
		for _, machine := range machines {
			p.begin(machine)
		}
	}
}

// heed tries again at once when something has happened that may mend what failed.
func (p *pump) heed(ctx context.Context) error {
	for {
		select {
		case <-p.retry:
			p.survey()
			p.mu.Lock()
			for _, kick := range p.lanes {
				nudge(kick)
			}
			p.mu.Unlock()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// survey looks at all streams that were published to and not looked at since, so
// that what was in one that is gone is sent again.
func (p *pump) survey() {
	for _, machine := range append(p.b.known.machines(), p.b.machine) { // ours too if nothing is known
		if !p.met(machine) {
			p.begin(machine)
		}
	}
}

// under reports whether the lane of a machine is under way.
func (p *pump) under(machine string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lanes[machine] != nil
}

// begin starts the lane of a machine, unless it is under way.
func (p *pump) begin(machine string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lanes[machine] != nil {
		return
	}
	kick := make(chan struct{}, 1)
	p.lanes[machine] = kick
	p.group.wg.Go(func() {
		err := p.lane(p.group.ctx, machine, kick)
		p.mu.Lock()
		delete(p.lanes, machine)
		p.mu.Unlock()
		if err != nil {
			p.group.cancel(err)
			return
		}
		p.b.store.PokeOutgoing() // what came since is the next one's
	})
}

// lane publishes all that there is for a machine.
func (p *pump) lane(ctx context.Context, machine string, kick <-chan struct{}) error {
	part := "publish " + machine
	var wait pause
	for failed := 0; ; {
		some, err := p.step(ctx, machine, failed > 0)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			failed, wait = 0, 0
			p.b.works(part)
			if !some {
				p.b.remember()
				return nil
			}
			continue
		}
		if p.srv != nil || p.nc.IsConnected() { // else that is told already
			p.b.fails(part, err)
		}
		var bad *storeError
		if failed++; p.gone() || errors.As(err, &bad) && bad.stuck() && failed > 2 {
			return errGone
		}
		if some {
			wait = 0
		}
		_ = wait.wait(ctx, kick)
	}
}

// step publishes the first rows for a machine; it reports whether some are gone, so
// that there may be more. If careful, a batch is not tried: what has failed may be
// half stored.
func (p *pump) step(ctx context.Context, machine string, careful bool) (some bool, err error) {
	if machine != p.b.machine {
		select {
		case p.turns <- struct{}{}:
			defer func() { <-p.turns }()
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	s, fresh, err := p.stream(ctx, machine)
	if err != nil {
		return false, p.waits(machine, err)
	}
	if fresh {
		return true, nil // there may be rows before those that there were
	}
	rows, err := p.b.store.OutgoingTo(ctx, machine, mostRows)
	if err != nil {
		return false, fmt.Errorf("the outbox cannot be read: %w", err)
	}
	if len(rows) == 0 {
		return false, nil
	}
	return p.publish(ctx, s, machine, rows, careful)
}

// waits says that messages for a machine wait, and why.
func (p *pump) waits(machine string, err error) error {
	p.forget(machine)
	return fmt.Errorf("messages for %s cannot be stored; they wait in the outbox: %w", machine, p.explain(err))
}

// publish stores rows for one machine, in order, and tells the outbox of those that
// are stored. It stops at the first that is not; it reports whether any was.
func (p *pump) publish(ctx context.Context, s *stream, machine string, rows []relay.Parcel, careful bool) (some bool, err error) {
	if rows, err = p.refuse(ctx, s, rows); err != nil {
		return false, err
	}
	for first := true; len(rows) > 0; first = false {
		part := rows[:fitting(rows)]
		room, err := p.room(machine, part)
		stored := 0
		if err == nil {
			stored, err = p.store(ctx, s, machine, part, careful || !room)
		}
		if stored > 0 {
			seqs := make([]int64, stored)
			for i, r := range part[:stored] {
				seqs[i] = r.Seq
			}
			if e := p.b.store.Published(ctx, seqs); e != nil {
				return false, fmt.Errorf("the outbox cannot be written: %w", e)
			}
		}
		if err != nil {
			return !first || stored > 0, p.waits(machine, err)
		}
		rows = rows[stored:]
	}
	return true, nil
}

// refuse takes out what is longer than the servers take, which would be so at each
// try, and gives the others.
func (p *pump) refuse(ctx context.Context, s *stream, rows []relay.Parcel) ([]relay.Parcel, error) {
	most := p.longest(s)
	var fit []relay.Parcel
	for _, r := range rows {
		if len(r.Data) <= most {
			fit = append(fit, r)
			continue
		}
		why := fmt.Sprintf("too large for the servers (%d bytes; limit %d)", len(r.Data), most)
		if err := p.b.store.Refuse(ctx, r.Seq, why); err != nil {
			return nil, fmt.Errorf("the outbox cannot be written: %w", err)
		}
		p.b.say("a message for %s is refused: %s", r.Machine, why)
	}
	return fit, nil
}

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

// room reports whether the embedded server can take all of some rows, so that it
// need not fail half-way. For other machines a quarter of its files is not there:
// those that are off for long must not fill what this one needs.
func (l *link) room(machine string, rows []relay.Parcel) (bool, error) {
	if l.srv == nil {
		return true, nil
	}
	most := l.b.mostBytes()
	need := int64(l.srv.GlobalAccount().JetStreamUsage().Store)
	for _, r := range rows {
		need += int64(len(r.Data)) + besideData
	}
	if machine == l.b.machine {
		return need <= most, nil
	}
	if most -= most / 4; need > most {
		return false, fmt.Errorf("the relay's files have room for %d bytes to other machines, and what they have not fetched takes it", most)
	}
	return true, nil
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
func (l *link) store(ctx context.Context, s *stream, machine string, rows []relay.Parcel, careful bool) (stored int, err error) {
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
