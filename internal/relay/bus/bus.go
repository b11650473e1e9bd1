package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/relay"
)

// Store is what a bus needs of the relay's store, which is a [relay.Store].
type Store interface {
	Machine() string
	Targets(ctx context.Context, passOver func(machine string) bool) (machines []string, err error)
	OutgoingTo(ctx context.Context, machine string, most int) ([]relay.Envelope, error)
	Unpublished(ctx context.Context) (int, error)
	Unconfirmed(ctx context.Context) (machines []string, err error)
	Published(ctx context.Context, seqs []int64) error
	Republish(ctx context.Context, machine string) error
	Refuse(ctx context.Context, seq int64, reason string) error
	NotifyOutgoing()
	Forgotten(ctx context.Context, passOver func(machine string) bool) (machines []string, err error)
	Dropped(ctx context.Context, machine string) error
	Ingest(ctx context.Context, from relay.Source, last uint64, data [][]byte) error
	Directory(ctx context.Context) ([]byte, error)
	Learn(ctx context.Context, machine string, directory []byte) error
}

// Bus carries a store's messages until it is closed. Its methods may be called
// from any goroutine.
type Bus struct {
	c       Config
	store   Store
	machine string
	place   place
	lock    *os.File
	known   *known

	cancel context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	state state
	peers map[string]*peer
}

// Start begins to carry messages. It returns when the server is up, or was tried
// once: what may go away by itself, such as a network or a full disk, is not an error,
// but tried again, and [Bus.Status] shows it. Errors are mistakes of the
// configuration, and [ErrInUse].
func Start(ctx context.Context, store Store, c Config) (*Bus, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	b := &Bus{c: c, store: store, machine: store.Machine(), place: place{c.Namespace}, cancel: cancel, done: make(chan struct{}),
		state: state{failing: map[string]string{}}, peers: map[string]*peer{}}
	l, err := b.first(ctx)
	if err != nil {
		cancel()
		if b.lock != nil {
			b.lock.Close()
		}
		return nil, err
	}
	go func() {
		defer close(b.done)
		defer b.lock.Close()
		defer b.remember()
		b.run(ctx, l)
	}()
	return b, nil
}

// first opens the first link. The error is one that will not go away.
func (b *Bus) first(ctx context.Context) (*link, error) {
	var err error
	if b.lock, err = lockStore(b.c.Dir); err != nil {
		return nil, err
	}
	b.known = loadKnown(b.c.Dir)
	if b.c.NATS == "" {
		_, err = b.options()
	} else {
		_, err = b.dialling()
	}
	if err != nil {
		return nil, err
	}
	l, err := b.open(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		b.fails("server", err)
	}
	return l, nil
}

// Bounds of the pauses between tries.
const (
	firstPause = 100 * time.Millisecond
	mostPause  = 10 * time.Second
)

// run keeps a link up until the context ends.
func (b *Bus) run(ctx context.Context, l *link) {
	defer b.set(func(s *state) { s.connected = false })
	p := newPause()
	for ctx.Err() == nil {
		if l != nil {
			began := time.Now()
			err := l.serve(ctx)
			b.set(func(s *state) { s.connected = false })
			l.close()
			if ctx.Err() != nil {
				return
			}
			b.fails("server", err)
			if time.Since(began) > mostPause {
				p.Reset()
			}
		}
		if p.Wait(ctx, nil) != nil {
			return
		}
		var err error
		if l, err = b.open(ctx); err != nil && ctx.Err() == nil {
			b.fails("server", err)
		}
	}
	if l != nil {
		l.close()
	}
}

// remember writes how far the streams are.
func (b *Bus) remember() {
	if err := b.known.write(); err != nil {
		b.say("how far the relay's streams are cannot be written: %v", err)
	}
}

// mostBytes bounds the files of the embedded server, or a stream on others.
func (b *Bus) mostBytes() int64 {
	switch {
	case b.c.MaxBytes > 0:
		return b.c.MaxBytes
	case b.c.NATS != "":
		return clusterMaxBytes
	}
	return defaultMaxBytes
}

// Close ends the bus and all that it has started. What is under way is finished
// or left in the outbox. The context bounds the wait, not the end.
func (b *Bus) Close(ctx context.Context) error {
	b.cancel()
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the relay's server is still ending: %w", ctx.Err())
	}
}

// newPause gives the pauses between tries.
func newPause() backoff.Backoff { return backoff.Backoff{First: firstPause, Most: mostPause} }

// errGone means that the embedded server has stopped working.
var errGone = errors.New("the relay's server has stopped storing messages, which a full disk does; it is started again")
