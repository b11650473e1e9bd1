package delivery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// HTTP is what is noted of messages that were handed out here, and the kind of presence
// of the agents that come for them.
const HTTP = "http"

// Bounds of leases.
const (
	mostConsumers = 1024            // for all names together
	mostFree      = 8               // consumers of one name that are free
	linger        = 2 * time.Minute // after the last request of a name, in which it counts as running
	mostTexts     = 1 << 20         // bytes of texts in one answer; the first is given whole
	sparing       = 5 * time.Second // for what is written when who asked has gone
)

// ErrClosed means that the daemon ends, or has another file of messages now.
var ErrClosed = errors.New("the daemon is about to change; ask again")

// ErrBusy means that no more inboxes can be opened.
var ErrBusy = fmt.Errorf("programs have %d inboxes open, which is the limit; confirm what was taken", mostConsumers)

// UsedError means that another session has the inbox of a name.
type UsedError struct{ Name, Session, Kind string }

func (e *UsedError) Error() string {
	return fmt.Sprintf("the session %s (%s) has the inbox of %s, and its messages go there; end it, or come under another name", e.Session, e.Kind, e.Name)
}

// HTTPSession is the id of the session of all that take messages under a name.
func HTTPSession(name string) string {
	sum := sha256.Sum256([]byte(name))
	return HTTP + "-" + hex.EncodeToString(sum[:8])
}

// Leases hands out the messages of one store to programs that come for them with one
// request at a time, and hold nothing of hookway's in between: those that speak HTTP.
// NewLeases makes it, and Close ends it.
//
// A program takes what waits for an agent's name, and says later what it has got. Until
// then the messages are its own for a time, the lease. When that is over, or the daemon
// has ended, they are given out again, marked as what may be a repeat: so none is lost
// with a program that dies.
//
// Each request that is given something has a consumer at the inbox, of one session for all
// that ask under a name, and the consumer is kept until the last of its messages is
// confirmed. At the end of a lease it is closed; what it has begun is then that of a consumer
// that has died, which the store gives out again. While a message is not confirmed, the
// later ones of its sender wait: that keeps their order.
type Leases struct {
	store  *relay.Store
	linger time.Duration

	ctx context.Context // ended by Close
	end context.CancelFunc

	mu        sync.Mutex
	lines     map[string]*line // by name, as it is kept
	consumers int
	shut      bool
	tasks     sync.WaitGroup // what timers have begun
}

// NewLeases makes leases.
func NewLeases(store *relay.Store) *Leases {
	d := &Leases{store: store, linger: linger, lines: map[string]*line{}}
	d.ctx, d.end = context.WithCancel(context.Background())
	return d
}

// Store is whose messages it hands out.
func (d *Leases) Store() *relay.Store { return d.store }

// Close ends every wait, and gives the consumers back: what was not confirmed is given out
// again by the next leases.
func (d *Leases) Close() error {
	d.end()
	d.mu.Lock()
	d.shut = true
	var left []*relay.Consumer
	for _, l := range d.lines {
		left = append(left, l.free...)
		l.free = nil
		l.rest.Stop()
		for _, b := range l.out {
			b.lease.Stop()
			left = append(left, b.consumer)
		}
		l.out = nil
	}
	d.mu.Unlock()
	d.tasks.Wait()
	var errs []error
	for _, consumer := range left {
		errs = append(errs, consumer.Close()) // one that has several messages is closed once
	}
	return errors.Join(errs...)
}

// line is those that take messages under one name. The leases's mu guards it.
type line struct {
	name, session string
	turn          chan struct{}     // held by the one that is just given messages
	free          []*relay.Consumer // that are free
	used          int               // consumers that requests and leases have
	out           map[string]*Lease
	rest          *time.Timer // ends the consumers that are free
}

// line is that of a name, which must be one that is known, as it is kept.
func (d *Leases) line(name string) (*line, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return nil, ErrClosed
	}
	l := d.lines[name]
	if l == nil {
		l = &line{name: name, session: HTTPSession(name), turn: make(chan struct{}, 1), out: map[string]*Lease{}}
		l.rest = time.AfterFunc(d.linger, func() { d.later(func() { d.leave(l) }) })
		l.rest.Stop()
		d.lines[name] = l
	}
	l.used++ // so that it is not removed
	return l, nil
}

// later runs what a timer has to do, unless the leases is closed.
func (d *Leases) later(do func()) {
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

// join gives a consumer of a line: a free one, or a new one.
func (d *Leases) join(ctx context.Context, l *line, cwd string) (*relay.Consumer, error) {
	d.mu.Lock()
	if n := len(l.free); n > 0 {
		consumer := l.free[n-1]
		l.free = l.free[:n-1]
		d.mu.Unlock()
		return consumer, nil
	}
	var idle *relay.Consumer
	if d.consumers >= mostConsumers {
		if idle = d.anyFree(); idle == nil {
			d.mu.Unlock()
			return nil, ErrBusy
		}
	}
	d.consumers++
	d.mu.Unlock()
	if idle != nil {
		_ = idle.Close()
	}
	consumer, err := d.store.Join(ctx, relay.Presence{Session: l.session, Name: l.name, Program: "http", CWD: cwd, Kind: HTTP})
	if err != nil {
		d.mu.Lock()
		d.consumers--
		d.mu.Unlock()
	}
	return consumer, err
}

// anyFree takes away a free consumer. The caller holds mu.
func (d *Leases) anyFree() *relay.Consumer {
	for _, l := range d.lines {
		if n := len(l.free); n > 0 {
			consumer := l.free[n-1]
			l.free = l.free[:n-1]
			d.consumers--
			return consumer
		}
	}
	return nil
}

// giveBack gives a consumer back: to those that come next if it is whole, that is, if it has
// begun nothing; else it is closed.
func (d *Leases) giveBack(l *line, consumer *relay.Consumer, whole bool) {
	d.mu.Lock()
	l.used--
	if consumer != nil && whole && !d.shut && len(l.free) < mostFree {
		l.free = append(l.free, consumer)
		consumer = nil
	}
	if consumer != nil {
		d.consumers--
	}
	d.tidy(l)
	d.mu.Unlock()
	if consumer != nil {
		_ = consumer.Close() // its lock is given back in any case
	}
}

// tidy forgets a line without requests, or has its consumers end soon. The caller holds mu.
func (d *Leases) tidy(l *line) {
	switch {
	case d.shut:
	case len(l.free) > 0:
		l.rest.Reset(d.linger)
	case l.used == 0:
		l.rest.Stop()
		delete(d.lines, l.name)
	}
}

// leave ends the free consumers of a line.
func (d *Leases) leave(l *line) {
	d.mu.Lock()
	free := l.free
	l.free = nil
	d.consumers -= len(free)
	d.tidy(l)
	d.mu.Unlock()
	for _, consumer := range free {
		_ = consumer.Close()
	}
}

// TakeRequest is what a program asks for.
type TakeRequest struct {
	Agent string        // whose messages
	Join  bool          // an unknown name is made known
	CWD   string        // where the program says that it is
	Most  int           // messages
	Wait  time.Duration // for the first one
	Hooks func(session string) Hooks

	// Idle, if it is set, is called with each wait, which is not work.
	Idle func(wait func() error) error
}

func (r *TakeRequest) idle(wait func() error) error {
	if r.Idle == nil {
		return wait()
	}
	return r.Idle(wait)
}

// NewNameError says that a name is unknown, and how it may be had.
type NewNameError struct{ *relay.UnknownError }

func (e *NewNameError) Error() string {
	return e.UnknownError.Error() + `; with "join": true it is a new one`
}

func (e *NewNameError) Unwrap() error { return e.UnknownError }

// Take gives what waits for an agent, and waits for it if there is nothing. A lease
// without items needs nothing more; of any other one of Begin, Done, Unsent and
// Abandon is called. An error is a [NewNameError], a [UsedError], [ErrClosed], [ErrBusy]
// or another one, and nothing was taken.
func (d *Leases) Take(ctx context.Context, r TakeRequest) (*Lease, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.ctx, func() { cancel(ErrClosed) })()
	b, err := d.take(ctx, r)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return b, err
}

func (d *Leases) take(ctx context.Context, r TakeRequest) (*Lease, error) {
	name, err := d.name(ctx, r)
	if err != nil {
		return nil, err
	}
	l, err := d.line(name)
	if err != nil {
		return nil, err
	}
	consumer, err := d.join(ctx, l, r.CWD)
	if err != nil {
		d.giveBack(l, nil, true)
		return nil, err
	}
	b := &Lease{leases: d, line: l, consumer: consumer}
	if err = b.fill(ctx, r); len(b.Items) == 0 {
		d.giveBack(l, consumer, err == nil || errors.Is(err, context.Canceled))
		return b, err
	}
	return b, nil // what went wrong after the first will be seen again
}

// name is a name as it is kept.
func (d *Leases) name(ctx context.Context, r TakeRequest) (string, error) {
	known, err := d.store.Known(ctx, r.Agent)
	var unknown *relay.UnknownError
	if !errors.As(err, &unknown) {
		return known.Name, err
	}
	if !r.Join {
		return "", &NewNameError{unknown}
	}
	if err := relay.Reserved(r.Agent); err != nil {
		return "", err
	}
	if err := d.store.Register(ctx, r.Agent); err != nil {
		return "", err
	}
	known, err = d.store.Known(ctx, r.Agent)
	return known.Name, err
}

// fill takes what there is, and waits if there is nothing.
func (b *Lease) fill(ctx context.Context, r TakeRequest) error {
	patience, cancel := context.WithTimeout(ctx, r.Wait)
	defer cancel()
	b.inbox = Inbox{Consumer: b.consumer, Hooks: r.Hooks(b.line.session), How: HTTP, Room: mostTexts}
	for {
		if err := b.leads(ctx); err != nil {
			return err
		}
		err := b.collect(ctx, r.Most)
		if len(b.Items) > 0 || err != nil && !errors.Is(err, relay.ErrTaken) { // by another process: there may be more
			return err
		}
		if err := r.idle(func() error { return b.consumer.Wait(patience) }); err != nil {
			if patience.Err() != nil && ctx.Err() == nil {
				return nil // there was nothing in all that time
			}
			return err
		}
	}
}

// leads says why nothing would ever come. When another consumer of the session has just
// ended, the inbox is free for a moment: then it is waited for.
func (b *Lease) leads(ctx context.Context) error {
	leads, err := b.consumer.Leads(ctx)
	if leads || err != nil {
		return err
	}
	if b.leases.ctx.Err() != nil {
		return ErrClosed
	}
	who, err := b.leases.store.Known(ctx, b.line.name)
	if err != nil || who.Session == "" || who.Session == b.line.session {
		return err
	}
	return &UsedError{Name: b.line.name, Session: who.Session, Kind: who.Kind}
}

// collect claims items, as many as there is room for in an answer. Of one name one
// request does so at a time.
func (b *Lease) collect(ctx context.Context, most int) error {
	select {
	case b.line.turn <- struct{}{}:
		defer func() { <-b.line.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	items, err := b.inbox.Take(ctx, most)
	b.Items = append(b.Items, items...)
	return err
}

// Waiting is how many messages wait beside those that a lease has, or are not confirmed.
func (d *Leases) Waiting(ctx context.Context, b *Lease) (int, error) {
	known, err := d.store.Known(ctx, b.line.name)
	if err != nil {
		return 0, fmt.Errorf("what waits beside: %w", err)
	}
	return max(known.Waiting-len(b.Items), 0), nil
}
