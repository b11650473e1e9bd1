package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// dedup is for how long a stream refuses an id that it has. The ledger does so for
// ever; this spares the way there.
const dedup = 24 * time.Hour

// stream is what is known of a machine's stream.
type stream struct {
	name    string
	created time.Time
	batches bool // it takes several messages at once, or none of them

	replicas               int
	mostMessage, mostBytes int64 // of one, and of all; below 1: not bounded
}

// stream makes sure that a machine's stream is there. One that is fresh is not the one
// that it was: what had been published is in the outbox again.
func (l *link) stream(ctx context.Context, machine string) (s *stream, fresh bool, err error) {
	l.mu.Lock()
	s = l.streams[machine]
	l.mu.Unlock()
	if s != nil {
		return s, false, nil
	}
	info, err := l.ensure(ctx, l.js, machine, l.b.publisher(l.b.machine))
	if err != nil {
		return nil, false, err
	}
	s = &stream{name: info.Config.Name, created: info.Created, batches: info.Config.AllowAtomicPublish,
		replicas: info.Config.Replicas, mostMessage: int64(info.Config.MaxMsgSize), mostBytes: info.Config.MaxBytes}
	if before := l.b.known.of(machine); !before.Created.Equal(s.created) || info.State.LastSeq < before.Last {
		fresh = true
		if err := l.b.store.Republish(ctx, machine); err != nil {
			return nil, false, fmt.Errorf("messages that may be lost cannot be sent again: %w", err)
		}
		if err := l.b.known.meet(machine, s.created); err != nil {
			return nil, false, fmt.Errorf("a stream of the relay cannot be remembered: %w", err)
		}
	}
	l.mu.Lock()
	l.streams[machine] = s
	l.mu.Unlock()
	return s, fresh, nil
}

// forget makes the next use look at a machine's stream again, or at all of them.
func (l *link) forget(machine string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if machine == "" {
		clear(l.streams)
		return
	}
	delete(l.streams, machine)
}

// met reports whether a machine's stream was looked at in this life of the link.
func (l *link) met(machine string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.streams[machine] != nil
}

// publisher is who publishes in the server of a machine: it alone, or, in the user's
// own, everybody.
func (b *Bus) publisher(machine string) string {
	if b.c.NATS != "" {
		return ""
	}
	return machine
}

// ensure finds or makes a machine's stream. Several machines may do so at once.
func (l *link) ensure(ctx context.Context, js jetstream.JetStream, machine, from string) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	name := l.b.place.stream(machine)
	for range 3 {
		s, err := js.Stream(ctx, name)
		if err == nil {
			return l.widen(ctx, js, s.CachedInfo()), nil
		}
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, fmt.Errorf("the stream %s cannot be looked at: %w", name, l.explain(err))
		}
		info, err := l.create(ctx, js, machine, from)
		if err == nil {
			return info, nil
		}
		if !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil, fmt.Errorf("the stream %s cannot be made: %w", name, l.explain(err))
		}
	}
	return nil, fmt.Errorf("the stream %s is made and removed by others at the same time", name)
}

// create makes a stream. A bus that ends waits for one in its own server: what that makes
// while it is shut down, nobody closes.
func (l *link) create(ctx context.Context, js jetstream.JetStream, machine, from string) (*jetstream.StreamInfo, error) {
	c := jetstream.StreamConfig{
		Name: l.b.place.stream(machine), Subjects: []string{l.b.place.subjects(machine, from)}, Description: "hookway: messages for " + token(machine),
		Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		Duplicates: dedup, AllowAtomicPublish: true, Replicas: 1,
	}
	if l.srv == nil {
		c.Replicas, c.MaxBytes = replicas, l.b.mostBytes()
	} else if js == l.js {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), callTime)
		defer cancel()
	}
	s, err := js.CreateStream(ctx, c)
	if err != nil && c.Replicas > 1 && fewServers(err) {
		c.Replicas = 1
		s, err = js.CreateStream(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}

// replicas is how many servers of a cluster have a stream.
const replicas = 3

// fewServers reports whether a cluster is too small for the replicas, now or for ever.
func fewServers(err error) bool {
	const notClustered, noPeers = 10074, 10005
	var e *jetstream.APIError
	return errors.As(err, &e) && (e.ErrorCode == notClustered || e.ErrorCode == noPeers)
}

// widen gives a stream its replicas if the cluster has grown, or was not whole when
// the stream was made.
func (l *link) widen(ctx context.Context, js jetstream.JetStream, info *jetstream.StreamInfo) *jetstream.StreamInfo {
	if l.srv != nil || info.Config.Replicas >= replicas {
		return info
	}
	c := info.Config
	c.Replicas = replicas
	if s, err := js.UpdateStream(ctx, c); err == nil {
		return s.CachedInfo()
	}
	return info // it works as it is
}
