package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/nats-io/nats.go/jetstream"
)

// Bounds of what is under way between stream and ledger.
const (
	fetchRows  = 256
	fetchBytes = 16 << 20
	purgeRows  = 512             // so many are taken in before they are removed from the stream
	purgeAfter = 2 * time.Second // or when nothing came for so long
)

// mailbox is this machine's stream in one place: in the server of a peer, or in the
// user's own.
type mailbox struct {
	link *link
	js   jetstream.JetStream
	peer string // "": the user's own servers
	kick chan struct{}
}

// fetch takes in what is in a mailbox until the context ends.
func (l *link) fetch(ctx context.Context, m *mailbox) error {
	p := newPause()
	part := "fetch"
	for {
		began := time.Now()
		err := m.once(ctx, func() { l.b.works(part) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if l.gone() {
			return errGone
		}
		if errors.Is(err, errAgain) {
			p.Reset()
			continue
		}
		if m.peer == "" {
			l.b.fails(part, fmt.Errorf("messages cannot be fetched: %w", l.explain(err)))
		} else {
			l.b.unreachable(m.peer) // it is off, which is not an error: it says hello when it is back
		}
		if time.Since(began) > mostPause {
			p.Reset()
		}
		_ = p.Wait(ctx, m.kick)
	}
}

var (
	errAgain = errors.New("the link is new")
	errGap   = errors.New("messages were lost on the way; they are fetched again")
)

// once takes in what is in a mailbox until something fails. It begins with the
// first message that is still there: those that were taken in are removed soon, and
// change nothing until then.
func (m *mailbox) once(ctx context.Context, works func()) error {
	l := m.link
	info, err := l.ensure(ctx, m.js, l.b.machine, l.b.publisher(m.peer))
	if err != nil {
		return err
	}
	if m.peer == "" {
		l.b.set(func(s *state) { s.replicas = info.Config.Replicas })
	}
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	c, err := m.js.CreateConsumer(call, info.Config.Name, jetstream.ConsumerConfig{
		AckPolicy: jetstream.AckNonePolicy, DeliverPolicy: jetstream.DeliverAllPolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return err
	}
	it, err := c.Messages(jetstream.PullMaxMessagesWithBytesLimit(fetchRows, fetchBytes), jetstream.PullExpiry(30*time.Second),
		jetstream.PullHeartbeat(heartbeat), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return err
	}
	works()
	l.b.reached(m.peer)
	return m.take(ctx, it, relay.Source{Stream: m.source(info.Config.Name), Created: info.Created})
}

// heartbeat is how often a server that has nothing says so: a dead one is noticed
// after two of them.
const heartbeat = 3 * time.Second

// source names the stream in the ledger: peers have streams of the same name.
func (m *mailbox) source(stream string) string {
	if m.peer == "" {
		return stream
	}
	return m.link.b.place.domain(m.peer) + "/" + stream
}

// take moves messages into the ledger: as many at once as there are.
func (m *mailbox) take(ctx context.Context, it jetstream.MessagesContext, from relay.Source) error {
	came, failed := make(chan jetstream.Msg, fetchRows), make(chan error, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			msg, err := it.Next()
			if err != nil {
				failed <- err
				return
			}
			select {
			case came <- msg:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() {
		it.Stop()
		for {
			select {
			case <-came: // a reader that waits for room
			case <-ended:
				return
			}
		}
	}()
	r := &reading{mailbox: m, from: from}
	idle := time.NewTimer(purgeAfter)
	defer idle.Stop()
	for {
		select {
		case msg := <-came:
			if err := r.ingest(ctx, msg, came); err != nil {
				return err
			}
			idle.Reset(purgeAfter)
		case <-idle.C:
			r.purge(ctx)
		case err := <-failed:
			return err
		case <-m.kick:
			return errAgain
		case <-ctx.Done():
			r.purge(context.WithoutCancel(ctx))
			return ctx.Err()
		}
	}
}

// reading is how far a mailbox was read.
type reading struct {
	*mailbox
	from   relay.Source
	count  uint64 // messages that were delivered
	last   uint64 // offset of the last that was taken in
	size   int64  // of what is taken in and not removed
	purged uint64
}

// ingest takes in a message and those that came with it.
func (r *reading) ingest(ctx context.Context, first jetstream.Msg, came <-chan jetstream.Msg) error {
	var data [][]byte
	var by []string
	var last uint64
	size := 0
	add := func(msg jetstream.Msg) error {
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if r.count++; meta.Sequence.Consumer != r.count {
			return errGap
		}
		last, size = meta.Sequence.Stream, size+len(msg.Data())
		data, by = append(data, msg.Data()), append(by, publisherOf(msg.Subject()))
		return nil
	}
	gap := add(first)
more:
	for gap == nil && len(data) < fetchRows && size < batchSize {
		select {
		case msg := <-came:
			gap = add(msg)
		default:
			break more
		}
	}
	if len(data) == 0 {
		return gap
	}
	r.from.From = func(i int) string { return by[i] }
	if err := r.keep(ctx, last, data); err != nil {
		return err
	}
	r.link.b.contacted(r.peer)
	r.size += int64(size)
	if r.last = last; r.last-r.purged >= purgeRows || r.size >= r.link.b.mostBytes()/8 {
		r.purge(ctx)
	}
	return gap
}

// keep writes to the ledger, and tries again while that cannot be written.
func (r *reading) keep(ctx context.Context, last uint64, data [][]byte) error {
	p := newPause()
	for {
		err := r.link.b.store.Ingest(ctx, r.from, last, data)
		if err == nil {
			r.link.b.works("ledger")
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.link.b.fails("ledger", fmt.Errorf("messages that came cannot be kept, and are tried again: %w", err))
		if err := p.Wait(ctx, nil); err != nil {
			return err
		}
	}
}

// purge removes from the stream what is in the ledger. That it fails does no harm.
func (r *reading) purge(ctx context.Context) {
	if r.last == r.purged {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s, err := r.js.Stream(ctx, r.link.b.place.stream(r.link.b.machine))
	if err != nil || !s.CachedInfo().Created.Equal(r.from.Created) {
		return
	}
	if s.Purge(ctx, jetstream.WithPurgeSequence(r.last+1)) == nil {
		r.purged, r.size = r.last, 0
	}
}
