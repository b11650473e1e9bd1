package keep

import (
	"context"
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
	opened       chan struct{} // closed when what follows is there
	placeholders *Placeholders
	err          error // of opening
	open         func(dir string) (*Placeholders, error)

	mu      sync.Mutex
	queue   []entry
	held    int // reserved entries, in the queue or on their way to it
	bytes   int
	running bool
	closed  bool
	waiting []chan struct{} // closed when all that was put by then is written

	wake  chan struct{}
	ended chan struct{}
	lost  atomic.Int64
	told  atomic.Int64 // when a loss was logged, in Unix seconds
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
	return &Store{config: c, open: openFolder, opened: make(chan struct{}), wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// openFolder makes the folder and the key.
func openFolder(dir string) (*Placeholders, error) {
	if err := disk.Private(dir, "the folder of kept events"); err != nil {
		return nil, err
	}
	return NewPlaceholders(dir)
}

// Opened makes the folder and the key, once, and is closed when that has ended: on a disk
// that hangs it is not.
func (s *Store) Opened() <-chan struct{} {
	s.opening.Do(func() {
		go func() {
			defer close(s.opened)
			if s.placeholders, s.err = s.open(s.config.Dir); s.err != nil {
				s.config.Log.Warn(fmt.Sprintf("events are not kept: %v", s.err))
			}
		}()
	})
	return s.opened
}

// Ready waits until the folder and the key are there, and gives the placeholders.
func (s *Store) Ready() (*Placeholders, error) {
	<-s.Opened()
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

// Settle waits until what was put is written, or could not be: whoever reads the folder
// then finds it. It hurries the writer, and waits no longer than the context.
func (s *Store) Settle(ctx context.Context) {
	s.mu.Lock()
	if !s.running || s.closed {
		s.mu.Unlock()
		return
	}
	done := make(chan struct{})
	s.waiting = append(s.waiting, done)
	select {
	case s.wake <- struct{}{}:
	default:
	}
	s.mu.Unlock()
	select {
	case <-done:
	case <-s.ended:
	case <-ctx.Done():
	}
}

// Lose counts entries that cannot be kept, and logs it once a minute.
func (s *Store) Lose(n int, why error) {
	all, now, told := s.lost.Add(int64(n)), time.Now().Unix(), s.told.Load()
	if now-told > 60 && s.told.CompareAndSwap(told, now) {
		s.config.Log.Warn(fmt.Sprintf("%d events could not be kept: %v", all, why))
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
	return s.bytes >= gatherBytes || len(s.waiting) > 0
}

// flush writes all that waits.
func (s *Store) flush(w *writer) {
	s.mu.Lock()
	batch, waiting := s.queue, s.waiting
	s.queue, s.waiting = nil, nil
	s.mu.Unlock()
	defer func() {
		for _, done := range waiting {
			close(done)
		}
	}()
	if len(batch) == 0 {
		return
	}
	n := 0
	for _, e := range batch {
		n += len(e.text)
	}
	if lost, err := w.write(batch, time.Now()); err != nil {
		s.Lose(lost, err)
	}
	s.mu.Lock()
	s.held -= len(batch)
	s.bytes -= n
	s.mu.Unlock()
}
