package keep

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/logline"
)

// Config says where events are kept, and how many. Zero values are the defaults.
type Config struct {
	Dir  string        // the folder of the store; it is made
	Off  bool          // nothing more is kept; what there is goes by Age and Size
	Age  time.Duration // how long; default 30 days
	Size int64         // of all files together, in bytes; default 1 GiB

	// Log gets what goes wrong: keeping happens beside the decisions. Nil drops it.
	Log *slog.Logger
}

// Defaults of Config.
const (
	DefaultAge  = 30 * 24 * time.Hour
	DefaultSize = 1 << 30
)

// Bounds of what waits to be written.
const (
	maxQueue      = 4096
	maxQueueBytes = 16 << 20
	blockBytes    = 512 << 10              // after which a block ends
	gatherBytes   = 256 << 10              // after which nobody waits for more
	gather        = 100 * time.Millisecond // for more events to compress together
	idle          = 5 * time.Second        // after which the tables of the compressor go, before memory is given back
)

// Store keeps entries. It is safe for concurrent use. Nobody waits for the disk: one
// goroutine compresses and writes what is put, from a bounded queue.
type Store struct {
	config Config

	opening      sync.Once
	placeholders *Placeholders
	err          error // of opening

	mu      sync.Mutex
	queue   []entry
	held    int // reserved entries, in the queue or on their way to it
	bytes   int
	running bool
	closed  bool

	wake  chan struct{}
	ended chan struct{}
	lost  atomic.Int64
	told  time.Time // when a loss was logged; of the goroutine that writes
}

// Open makes a store. Its folder is made when the first event comes.
func Open(c Config) *Store {
	if c.Age <= 0 {
		c.Age = DefaultAge
	}
	if c.Size <= 0 {
		c.Size = DefaultSize
	}
	c.Log = logline.Or(c.Log)
	return &Store{config: c, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// Ready makes the folder and the key, once, and gives the placeholders.
func (s *Store) Ready() (*Placeholders, error) {
	s.opening.Do(func() {
		if s.err = disk.Private(s.config.Dir, "the folder of kept events"); s.err == nil {
			s.placeholders, s.err = NewPlaceholders(s.config.Dir)
		}
		if s.err != nil {
			s.config.Log.Warn(fmt.Sprintf("events are not kept: %v", s.err))
		}
	})
	return s.placeholders, s.err
}

// Off reports whether nothing is kept. It removes what is old, the first time.
func (s *Store) Off() bool {
	if !s.config.Off {
		return false
	}
	s.opening.Do(func() {
		go s.sweepNow(time.Now())
	})
	return true
}

// Reserve takes room in the queue for an entry of so many bytes; false if there is none.
// Put, or Release, gives it back.
func (s *Store) Reserve(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.held >= maxQueue || s.bytes+n > maxQueueBytes {
		return false
	}
	s.held++
	s.bytes += n
	return true
}

// Release gives back room that was reserved.
func (s *Store) Release(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
	s.bytes -= n
}

// Put has an entry written for which room was reserved. seq is the number of its record.
func (s *Store) Put(seq int64, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.lost.Add(1)
		return
	}
	s.queue = append(s.queue, entry{seq, text})
	if !s.running {
		s.running = true
		go s.run()
	}
	if len(s.queue) == 1 || s.bytes >= gatherBytes {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// Lost is how many entries could not be written.
func (s *Store) Lost() int64 { return s.lost.Load() }

// Close writes what waits.
func (s *Store) Close() error {
	s.mu.Lock()
	running := s.running
	if !s.closed {
		s.closed = true
		close(s.wake)
	}
	s.mu.Unlock()
	if running {
		<-s.ended
	}
	if n := s.lost.Load(); n > 0 {
		return fmt.Errorf("%d events could not be kept in %s", n, s.config.Dir)
	}
	return nil
}

// run writes what is put.
func (s *Store) run() {
	defer close(s.ended)
	w := &writer{store: s}
	defer w.pack.forget()
	rest := time.NewTimer(idle)
	defer rest.Stop()
	for open := true; open; {
		rest.Reset(idle)
		select {
		case _, open = <-s.wake:
		case <-rest.C:
			w.pack.forget()
			continue
		}
		if open && !s.enough() {
			select {
			case _, open = <-s.wake:
			case <-time.After(gather):
			}
		}
		s.flush(w)
	}
}

// enough reports whether no more is to be waited for.
func (s *Store) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes >= gatherBytes
}

// flush writes all that waits.
func (s *Store) flush(w *writer) {
	s.mu.Lock()
	batch := s.queue
	s.queue = nil
	s.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	n := 0
	for _, e := range batch {
		n += len(e.text)
	}
	if lost, err := w.write(batch, time.Now()); err != nil {
		s.lost.Add(int64(lost))
		if now := time.Now(); now.Sub(s.told) > time.Minute {
			s.told = now
			s.config.Log.Warn(fmt.Sprintf("%d events could not be kept: %v", s.lost.Load(), err))
		}
	}
	s.mu.Lock()
	s.held -= len(batch)
	s.bytes -= n
	s.mu.Unlock()
}
