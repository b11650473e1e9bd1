package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/post"
)

// How is what is noted of messages that were handed out here, and the kind of presence
// of the agents that come for them.
const How = "http"

// Bounds of a desk.
const (
	mostSeats = 1024            // for all names together
	mostFree  = 8               // seats of one name that nobody uses
	linger    = 2 * time.Minute // after the last request of a name, in which it counts as running
	mostTexts = 1 << 20         // bytes of texts in one batch; the first is given whole
	sparing   = 5 * time.Second // for what is written when who asked has gone
)

// ErrClosed means that the daemon ends, or has another file of messages now.
var ErrClosed = errors.New("the daemon is about to change; ask again")

// ErrBusy means that there is no seat free.
var ErrBusy = fmt.Errorf("programs have %d seats at inboxes, which is as many as there are; confirm what was taken", mostSeats)

// UsedError means that another session has the inbox of a name.
type UsedError struct{ Name, Session, Kind string }

func (e *UsedError) Error() string {
	return fmt.Sprintf("the session %s (%s) has the inbox of %s, and its messages go there; end it, or come under another name", e.Session, e.Kind, e.Name)
}

// Session is the id of the session of all that take messages under a name.
func Session(name string) string {
	sum := sha256.Sum256([]byte(name))
	return How + "-" + hex.EncodeToString(sum[:8])
}

// Desk hands out the messages of one store. New makes it, and Close ends it.
type Desk struct {
	store  *relay.Store
	linger time.Duration

	ctx context.Context // ended by Close
	end context.CancelFunc

	mu    sync.Mutex
	lines map[string]*line // by name, as it is kept
	seats int
	shut  bool
	tasks sync.WaitGroup // what timers have begun
}

// New makes a desk.
func New(store *relay.Store) *Desk {
	d := &Desk{store: store, linger: linger, lines: map[string]*line{}}
	d.ctx, d.end = context.WithCancel(context.Background())
	return d
}

// Store is whose messages it hands out.
func (d *Desk) Store() *relay.Store { return d.store }

// Close ends every wait, and gives the seats back: what was not confirmed is given out
// again by the next desk.
func (d *Desk) Close() error {
	d.end()
	d.mu.Lock()
	d.shut = true
	var left []*relay.Seat
	for _, l := range d.lines {
		left = append(left, l.free...)
		l.free = nil
		l.rest.Stop()
		for _, b := range l.out {
			b.lease.Stop()
			left = append(left, b.seat)
		}
		l.out = nil
	}
	d.mu.Unlock()
	d.tasks.Wait()
	var errs []error
	for _, seat := range left {
		errs = append(errs, seat.Close()) // one that has several messages is closed once
	}
	return errors.Join(errs...)
}

// line is those that take messages under one name. The desk's mu guards it.
type line struct {
	name, session string
	turn          chan struct{} // held by the one that is just given messages
	free          []*relay.Seat // that nobody uses
	used          int           // seats that requests and batches have
	out           map[string]*Batch
	rest          *time.Timer // ends the seats that nobody uses
}

// line is that of a name, which must be one that is known, as it is kept.
func (d *Desk) line(name string) (*line, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return nil, ErrClosed
	}
	l := d.lines[name]
	if l == nil {
		l = &line{name: name, session: Session(name), turn: make(chan struct{}, 1), out: map[string]*Batch{}}
		l.rest = time.AfterFunc(d.linger, func() { d.later(func() { d.leave(l) }) })
		l.rest.Stop()
		d.lines[name] = l
	}
	l.used++ // so that nobody removes it
	return l, nil
}

// later runs what a timer has to do, unless the desk is closed.
func (d *Desk) later(do func()) {
	d.mu.Lock()
	if d.shut {
		d.mu.Unlock()
		return
	}
	d.tasks.Add(1)
	d.mu.Unlock()
	defer d.tasks.Done()
	do()
}

// sit gives a seat of a line: a free one, or a new one.
func (d *Desk) sit(ctx context.Context, l *line, cwd string) (*relay.Seat, error) {
	d.mu.Lock()
	if n := len(l.free); n > 0 {
		seat := l.free[n-1]
		l.free = l.free[:n-1]
		d.mu.Unlock()
		return seat, nil
	}
	var idle *relay.Seat
	if d.seats >= mostSeats {
		if idle = d.anyFree(); idle == nil {
			d.mu.Unlock()
			return nil, ErrBusy
		}
	}
	d.seats++
	d.mu.Unlock()
	if idle != nil {
		_ = idle.Close()
	}
	seat, err := d.store.Join(ctx, relay.Presence{Session: l.session, Name: l.name, Program: "http", CWD: cwd, Kind: How})
	if err != nil {
		d.mu.Lock()
		d.seats--
		d.mu.Unlock()
	}
	return seat, err
}

// anyFree takes away a seat that nobody uses. The caller holds mu.
func (d *Desk) anyFree() *relay.Seat {
	for _, l := range d.lines {
		if n := len(l.free); n > 0 {
			seat := l.free[n-1]
			l.free = l.free[:n-1]
			d.seats--
			return seat
		}
	}
	return nil
}

// stand gives a seat back: to those that come next if it is whole, that is, if it has
// begun nothing; else it is closed.
func (d *Desk) stand(l *line, seat *relay.Seat, whole bool) {
	d.mu.Lock()
	l.used--
	if seat != nil && whole && !d.shut && len(l.free) < mostFree {
		l.free = append(l.free, seat)
		seat = nil
	}
	if seat != nil {
		d.seats--
	}
	d.tidy(l)
	d.mu.Unlock()
	if seat != nil {
		_ = seat.Close() // its lock is given back in any case
	}
}

// tidy forgets a line that nobody uses, or has its seats end soon. The caller holds mu.
func (d *Desk) tidy(l *line) {
	switch {
	case d.shut:
	case len(l.free) > 0:
		l.rest.Reset(d.linger)
	case l.used == 0:
		l.rest.Stop()
		delete(d.lines, l.name)
	}
}

// leave ends the seats of a line that nobody uses.
func (d *Desk) leave(l *line) {
	d.mu.Lock()
	free := l.free
	l.free = nil
	d.seats -= len(free)
	d.tidy(l)
	d.mu.Unlock()
	for _, seat := range free {
		_ = seat.Close()
	}
}

// asked is a seat that notes whether there was anything to be taken.
type asked struct {
	*relay.Seat
	some bool
}

func (a *asked) Take(ctx context.Context, most int) ([]relay.Taken, error) {
	got, err := a.Seat.Take(ctx, most)
	a.some = len(got) > 0
	return got, err
}

var _ post.Seat = (*asked)(nil)
