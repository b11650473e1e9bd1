package relay

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/sqlite"
)

// Limits bound what agents may do to each other. Zero is the default of a field,
// negative means without a limit.
type Limits struct {
	PerMinute  int // messages that one agent sends in a minute; 30
	PingPong   int // messages that two agents send to and fro without a human turn; 20
	Hops       int // how often hooks may pass a message on; 8
	Inbox      int // messages that wait for one agent; 1000
	MaxContent int // bytes of a message's text; 256 KiB
}

// noLimit is more than there can be of anything.
const noLimit = math.MaxInt32

// orDefault fills in the defaults; what has no limit becomes a very high one.
func (l Limits) orDefault() Limits {
	for _, f := range []struct {
		field   *int
		usually int
	}{{&l.PerMinute, 30}, {&l.PingPong, 20}, {&l.Hops, 8}, {&l.Inbox, 1000}, {&l.MaxContent, 256 << 10}} {
		switch {
		case *f.field == 0:
			*f.field = f.usually
		case *f.field < 0:
			*f.field = noLimit
		}
	}
	return l
}

// Options are how a store is opened; the zero value is ready.
type Options struct {
	Machine string       // what other machines call this one; "" is the host's name when the store was made
	Limits  Limits       // of the messages that are sent, and of the inboxes
	Log     *slog.Logger // gets what cannot be returned as an error, such as an envelope that means nothing

	// Wake tells the processes of agents of this machine that something has come for
	// them. It is called after that is on the disk, and only Close waits for it.
	Wake func(ctx context.Context, agents []string)
}

// Store is the relay's file. Several processes have it open at once, and all its
// methods may be called from any goroutine.
type Store struct {
	dir     string
	machine string
	limits  Limits
	log     *slog.Logger
	now     func() time.Time

	file       *sqlite.File
	opened     os.FileInfo   // nil: whether it is still there is unknown
	statements sync.Map      // text to *sql.Stmt
	writing    chan struct{} // held by the one that writes
	outgoing   signal
	forgetting signal

	mu        sync.Mutex
	consumers map[*Consumer]bool
	closed    bool
	waker     waker
}

// fileName is the store's file in its folder.
const fileName = "relay.db"

// Exists reports whether there is a store in a folder: somebody has used the relay.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil
}

// Open opens the store in a folder, and makes it if there is none.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: dir, limits: o.Limits.orDefault(), log: logline.Or(o.Log), now: time.Now,
		writing: make(chan struct{}, 1), outgoing: newSignal(), forgetting: newSignal(), consumers: map[*Consumer]bool{},
		waker: waker{wake: o.Wake},
	}
	if s.file, err = sqlite.Open(ctx, filepath.Join(dir, fileName), form); err != nil {
		return nil, err
	}
	s.opened, _ = os.Stat(s.file.Path())
	if err := s.begin(ctx, o.Machine); err != nil {
		return nil, errors.Join(s.explain("opened", err), s.file.Close())
	}
	return s, nil
}

// Gone reports whether the file was moved away or removed since it was opened, so that
// what others send is in another one.
func (s *Store) Gone() bool {
	now, err := os.Stat(s.file.Path())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return s.opened != nil && !os.SameFile(s.opened, now)
}

// begin does what an open file needs to be a store.
func (s *Store) begin(ctx context.Context, machine string) error {
	for _, folder := range []string{s.consumerFolder(), s.leaseFolder()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	if err := s.pinMachine(ctx, machine); err != nil {
		return err
	}
	if err := s.drain(ctx); err != nil {
		s.log.Warn(s.explain("changed", err).Error()) // a full disk, perhaps: it waits, and can be read
	}
	return s.sweep(ctx)
}

// Close closes the store and the consumers that are still taken.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	var left []*Consumer
	for consumer := range s.consumers {
		left = append(left, consumer)
	}
	s.mu.Unlock()
	var errs []error
	for _, consumer := range left {
		errs = append(errs, consumer.Close())
	}
	s.waker.wait()
	return errors.Join(append(errs, s.file.Close())...)
}

// explain says what a failure of the file means. What was refused, and is not the
// file's fault, says so itself.
func (s *Store) explain(done string, err error) error {
	if err == nil || isRefusal(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.file.Explain(done, err)
}
