package spool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/sqlite"
)

// fileName is the file in the spool's folder.
const fileName = "webhooks.db"

// Spool is the file, as one process uses it. Its methods may be called from any
// goroutine.
type Spool struct {
	// Tell makes of an event's JSON what webhooks get of it: without what is
	// hidden, with what came of it; nil sends the event as it is. It must be set before
	// there are receivers.
	Tell func(body []byte, ev hook.AnyEvent, came *hook.Settled, hide []string) ([]byte, error)

	dir   string
	out   *slog.Logger
	owner string
	ctx   context.Context // of all that is done in the background
	end   context.CancelFunc
	room  chan struct{} // of what waits to be written

	most, bytes int           // of what is kept for one webhook: maxWaiting, maxBytes
	every       time.Duration // Carry looks: lookEvery

	woken chan struct{} // holds a token when Carry has something to look at

	working sync.WaitGroup // goroutines

	opening sync.Mutex // held to open the file, or to set it aside
	file    *sqlite.File
	opened  os.FileInfo

	mu        sync.Mutex
	closed    bool
	carries   bool
	lock      *os.File // held by the process that carries
	arriving  []*arrival
	writing   bool
	unkept    int // messages that are sent from memory
	senders   map[Webhook]*sender
	unsettled map[Webhook][]result  // results that are not in the file yet
	latest    map[Webhook]*Receiver // which got a message last
	rest      map[Webhook]time.Time // until when it is not looked at: it cannot be sent to here
	said      map[string]time.Time  // when a line was logged that could come often
	missed    map[Webhook]int       // refused since the last line about that
	left      int                   // what waits, when Carry last looked
}

// New gives the spool of a folder. Nothing is opened until there is something to keep.
// log gets what becomes of messages; nil drops it.
func New(dir string, log *slog.Logger) *Spool {
	s := &Spool{
		dir: dir, out: logline.Or(log), owner: rand.Text(), most: maxWaiting, bytes: maxBytes, every: lookEvery, room: make(chan struct{}, maxArriving), woken: make(chan struct{}, 1),
		senders: map[Webhook]*sender{}, unsettled: map[Webhook][]result{}, latest: map[Webhook]*Receiver{},
		rest: map[Webhook]time.Time{}, said: map[string]time.Time{}, missed: map[Webhook]int{},
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

func (s *Spool) log(format string, args ...any) {
	s.out.Warn(fmt.Sprintf(format, args...))
}

// quiet is how long a line that was logged is not logged again.
const quiet = 10 * time.Minute

// logOnce logs a line, unless one of its kind was logged just now.
func (s *Spool) logOnce(kind, format string, args ...any) { s.logAfter(quiet, kind, format, args...) }

// logAfter logs a line, unless one of its kind was logged within a time.
func (s *Spool) logAfter(quiet time.Duration, kind, format string, args ...any) {
	s.mu.Lock()
	last, before := s.said[kind]
	again := before && time.Since(last) < quiet
	if !again {
		s.said[kind] = time.Now()
	}
	s.mu.Unlock()
	if !again {
		s.log(format, args...)
	}
}

func (s *Spool) path() string { return filepath.Join(s.dir, fileName) }

// exists reports whether there is a file.
func (s *Spool) exists() bool {
	_, err := os.Stat(s.path())
	return !errors.Is(err, fs.ErrNotExist)
}

// db gives the file, opened. One that was moved away is left to itself.
func (s *Spool) db(ctx context.Context) (*sqlite.File, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	now, err := os.Stat(s.path())
	if s.file != nil && err == nil && os.SameFile(s.opened, now) {
		return s.file, nil
	}
	if s.file != nil {
		err = s.file.Close()
		s.file = nil
		if err != nil {
			s.log("%v", err)
		}
	}
	file, err := sqlite.Open(ctx, s.path(), form)
	if errors.Is(err, sqlite.ErrDamaged) {
		if err = s.setAside(ctx, nil, err); err == nil {
			file, err = sqlite.Open(ctx, s.path(), form)
		}
	}
	if err != nil {
		return nil, err
	}
	if s.opened, err = os.Stat(s.path()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	s.file = file
	return file, nil
}

// do works with the file. One that turns out to be damaged is set aside, and the
// work done with a new one.
func (s *Spool) do(ctx context.Context, done string, work func(*sqlite.File) error) error {
	for again := false; ; again = true {
		file, err := s.db(ctx)
		if err != nil {
			return err
		}
		if err = file.Explain(done, work(file)); again || !errors.Is(err, sqlite.ErrDamaged) {
			return err
		}
		s.opening.Lock()
		if s.file == file {
			s.file = nil
		}
		err = s.setAside(ctx, file, err)
		s.opening.Unlock()
		if err != nil {
			return err
		}
	}
}

// Close waits for what is being written and sent, whose connections should be closed
// by then. What is not sent stays.
func (s *Spool) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.working.Wait()
	s.opening.Lock()
	defer s.opening.Unlock()
	var err error
	if s.file != nil {
		err = s.file.Close()
		s.file = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close()) // gives the lock back
		s.lock = nil
	}
	return err
}

// wake has Carry look.
func (s *Spool) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// micros is a time as it is kept.
func micros(t time.Time) int64 { return t.UnixMicro() }

// sender sends to one webhook, while there is something to send.
type sender struct {
	*Spool
	target  Target
	from    *Receiver // whose target it is; nil: of the configuration
	env     context.Context
	leads   bool          // this process carries
	carried bool          // Carry has begun it, with what the configuration and the daemon have
	stopped bool          // nothing more can be sent by it
	again   bool          // somebody wants more to be sent; guarded by Spool.mu
	ended   chan struct{} // closed at the end
}
