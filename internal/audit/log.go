package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/logline"
)

// Config says where a log is and how much of it is kept. Zero values are the
// defaults.
type Config struct {
	Dir string // the log's folder; it is made

	MaxSize int64         // of one file, in bytes; default 32 MiB, or a quarter of KeepSize
	MaxAge  time.Duration // of one file's first record; default 7 days, or a quarter of KeepAge

	KeepSize int64         // of all files together; default 512 MiB
	KeepAge  time.Duration // since a file was last written; default 90 days

	// Fields names what is never written: "ssn" at any depth of a record and in
	// texts, "tool_input" as a whole, "tool_input.content" at that place. What a
	// record is found by stays: event, session, agent, tool, action and hook.
	Fields []string

	// Events says how the events of records are kept whole. Its folder is one in Dir, and
	// its Log is this Log.
	Events keep.Config

	// Patience is how long Append waits at most; default 5 s. A context may
	// end the wait sooner.
	Patience time.Duration

	lockPatience time.Duration // for tests; see lock

	// Log gets what goes wrong beside appending. Nil drops it.
	Log *slog.Logger
}

// Defaults of Config.
const (
	DefaultMaxSize  = 32 << 20
	DefaultMaxAge   = 7 * 24 * time.Hour
	DefaultKeepSize = 512 << 20
	DefaultKeepAge  = 90 * 24 * time.Hour
	DefaultPatience = 5 * time.Second
)

func (c Config) complete() Config {
	def(&c.KeepSize, DefaultKeepSize)
	def(&c.KeepAge, DefaultKeepAge)
	def(&c.MaxSize, min(DefaultMaxSize, max(c.KeepSize/4, 1))) // files are removed whole, and the last one never
	def(&c.MaxAge, min(DefaultMaxAge, max(c.KeepAge/4, 1)))
	def(&c.Patience, DefaultPatience)
	c.Log = logline.Or(c.Log)
	return c
}

func def[T int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// ErrClosed is the error of Append after Close.
var ErrClosed = errors.New("the audit log is closed")

// maxQueue is how many records wait for the writer at most; appenders beyond
// that wait for a place.
const maxQueue = 1024

// entry is a record on its way to the writer.
type entry struct {
	record Record
	whole  []byte     // what is kept of its event; nil is nothing
	done   chan error // holds one
}

// Log appends records. It is safe for concurrent use.
type Log struct {
	config Config
	events *keeper
	queue  chan *entry
	lost   atomic.Int64 // records that were not written since the last that was

	closing chan struct{} // closed by Close
	closed  atomic.Bool
	ended   chan struct{} // closed when the writer has ended
	err     error         // of the writer's end; read after ended
}

// Open opens the log of a folder and makes the folder if it is not there. The
// files are looked at when the first record comes.
func Open(c Config) (*Log, error) {
	c = c.complete()
	if c.Dir == "" {
		return nil, errors.New("the audit log needs a folder; set Dir")
	}
	if err := disk.Private(c.Dir, "the folder of the audit log"); err != nil {
		return nil, err
	}
	c.Events.Dir, c.Events.Log = EventsDir(c.Dir), c.Log
	events := &keeper{store: keep.Open(c.Events), cover: covers{fields: c.Fields}}
	l := &Log{config: c, events: events, queue: make(chan *entry, maxQueue), closing: make(chan struct{}), ended: make(chan struct{})}
	w := newWriter(l)
	go w.run()
	return l, nil
}

// EventsDir is where the events of a log are kept.
func EventsDir(dir string) string { return filepath.Join(dir, "events") }

// Append writes a record. It returns once the record is with the system, where
// it outlives this process, or with an error if it could not be written. It
// waits no longer than the context, and never longer than Config.Patience: a
// record that waits when it gives up may still be written.
func (l *Log) Append(ctx context.Context, r Record) error {
	if l.closed.Load() {
		return ErrClosed
	}
	timer := time.NewTimer(l.config.Patience)
	defer timer.Stop()
	e := &entry{done: make(chan error, 1)}
	e.whole = l.events.entry(ctx, &r, l.config.Patience)
	e.record = r
	select {
	case l.queue <- e:
	case <-l.closing:
		l.release(e)
		return ErrClosed
	case <-ctx.Done():
		l.release(e)
		l.lost.Add(1)
		return fmt.Errorf("the audit log has no room for the record: %w", ctx.Err())
	case <-timer.C:
		l.release(e)
		l.lost.Add(1)
		return fmt.Errorf("the audit log has had no room for the record for %v; see whether the disk of %s hangs", l.config.Patience, l.config.Dir)
	}
	select {
	case err := <-e.done:
		return err
	case <-l.ended:
		select {
		case err := <-e.done:
			return err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return fmt.Errorf("the audit record is not written yet: %w", ctx.Err())
	case <-timer.C:
		return fmt.Errorf("the audit record is not written after %v; see whether the disk of %s hangs", l.config.Patience, l.config.Dir)
	}
}

// settleTime bounds how long somebody who reads waits for what is being written.
const settleTime = time.Second

// Settle waits until the events of the records that are written by now can be read: they
// are compressed together, a moment after their records. It never waits long.
func (l *Log) Settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	l.events.store.Settle(ctx)
}

// release gives back the room for an event whose record is not written.
func (l *Log) release(e *entry) {
	if e.whole != nil {
		l.events.store.Release(len(e.whole))
	}
}

// Close writes what waits, forces it to the disk and ends the writer. It waits
// no longer than Config.Patience.
func (l *Log) Close() error {
	if l.closed.CompareAndSwap(false, true) {
		close(l.closing)
	}
	timer := time.NewTimer(l.config.Patience)
	defer timer.Stop()
	kept := make(chan error, 1)
	go func() {
		<-l.ended
		kept <- l.events.store.Close()
	}()
	select {
	case err := <-kept:
		return errors.Join(l.err, err)
	case <-timer.C:
		return fmt.Errorf("the audit log did not end within %v; see whether the disk of %s hangs", l.config.Patience, l.config.Dir)
	}
}
