package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// Relay is where the messages between agents are, for agents that nobody has
// wrapped: their own hooks tell them what others write. The zero value has none.
type Relay struct {
	// Dir is the folder of the store. As long as nobody has sent a message on this
	// machine there is no file in it, and nothing is opened or made.
	Dir string

	// Open gives the store, and what is to be called when it is not needed any more.
	Open func(context.Context) (store *relay.Store, done func(), err error)

	// Sent tells whoever carries messages that there is one. Nil: nobody does.
	Sent func(context.Context)
}

func (r *Relay) used() bool {
	return r.Open != nil && relay.Exists(r.Dir)
}

// Bounds of the store.
const (
	openTime  = 2 * time.Second        // how long an event waits for the store at most
	joinTime  = 2 * time.Second        // the same of a seat in it
	noteTime  = 5 * time.Second        // and what is noted after the answer
	openAgain = 10 * time.Second       // after it could not be opened
	lookAgain = time.Second            // whether there is one by now
	leaveTime = 500 * time.Millisecond // how long an end waits for its seat to be given back
)

// mail knows the agents of which events come and that nobody has wrapped.
type mail struct {
	mu      sync.Mutex
	guests  map[reader]*guest
	looking bool // for the file
	closed  bool
	end     chan struct{} // closed with it
	leaving sync.WaitGroup

	meeting sync.Mutex // held while the agents that are known get their seats

	noting sync.Mutex // guards the files of what is unproven: sessions of one name share one

	opening sync.Mutex   // guards what follows
	store   *relay.Store // nil: it was not opened
	done    func()
	failed  time.Time // when it could not be
	shut    bool
}

// guest is an agent with hooks of its own, in one session.
type guest struct {
	name string // what the user has named it; "" is by its session

	turn sync.Mutex // held while the guest's seat is used
	seat *relay.Seat
	p    relay.Presence
	gone bool // its session has ended

	out      bool          // an answer with messages is on its way
	kept     []relay.Taken // taken, and not decided
	undone   []handout     // in the agent's session, which is not noted yet
	printed  bool          // there may be something that nothing proves; see unproven
	unseen   bool          // something is, and the agent has done nothing since
	at       time.Time     // since when
	row      int           // how often in a row it did not stop for a message or a hook
	said     string        // why it was not to stop the last time
	complain sync.Once     // that it cannot join

	heard time.Time // last; guarded by mail.mu
}

// handout is a message that is in an answer.
type handout struct {
	relay.Message
	text   string
	repeat bool
}

// guest finds the session, or makes it known.
func (m *mail) guest(who reader, fresh func() *guest) *guest {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	g := m.guests[who]
	if g == nil {
		if fresh == nil || m.closed {
			return nil
		}
		if m.guests == nil {
			m.guests = map[reader]*guest{}
		}
		m.forget(now)
		g = fresh()
		m.guests[who] = g
	}
	g.heard = now
	return g
}

// forget lets those go of which nothing was heard for long, and the one of which
// nothing was for longest if there are too many. The caller holds mu.
func (m *mail) forget(now time.Time) {
	var oldest reader
	for who, g := range m.guests {
		if now.Sub(g.heard) > sessionTime {
			delete(m.guests, who)
			m.leaving.Go(func() { _ = g.leave() })
		} else if o := m.guests[oldest]; o == nil || g.heard.Before(o.heard) {
			oldest = who
		}
	}
	if g := m.guests[oldest]; g != nil && len(m.guests) >= maxSessions {
		delete(m.guests, oldest)
		m.leaving.Go(func() { _ = g.leave() })
	}
}

// leave gives the seat back. The next event of the session takes it again.
func (g *guest) leave() error {
	g.turn.Lock()
	defer g.turn.Unlock()
	g.gone = true
	if g.seat == nil {
		return nil
	}
	seat := g.seat
	g.seat = nil
	return seat.Close()
}

// openRelay gives the store, which it makes if there is none. Nil without an error
// means that it could not be opened a moment ago.
func (j *Judge) openRelay(ctx context.Context) (*relay.Store, error) {
	m := &j.mail
	m.opening.Lock()
	defer m.opening.Unlock()
	switch {
	case m.shut:
		return nil, errors.New("hookway is ending")
	case m.store != nil:
		return m.store, nil
	case time.Since(m.failed) < openAgain:
		return nil, nil //nolint:nilnil // it was told
	}
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	store, done, err := j.Relay.Open(ctx)
	if err != nil {
		m.failed = time.Now()
		return nil, fmt.Errorf("the messages for agents cannot be read: %w", err)
	}
	sweepCards(j.Relay.Dir)
	m.store, m.done = store, done
	return store, nil
}

// Meet has the agents join that were there before the first message was: from then
// on they can be found and written to.
func (j *Judge) Meet(ctx context.Context) {
	if !j.Relay.used() {
		return
	}
	j.mail.meeting.Lock() // for another one to be over: it has the turns
	defer j.mail.meeting.Unlock()
	j.mail.mu.Lock()
	var all []*guest
	for _, g := range j.mail.guests {
		all = append(all, g)
	}
	j.mail.mu.Unlock()
	for _, g := range all {
		if !g.turn.TryLock() {
			continue // an event of it has it join
		}
		if err := j.seat(ctx, g); err != nil {
			j.log(err.Error())
		}
		g.turn.Unlock()
	}
}

// await looks now and then whether somebody has sent the first message.
func (j *Judge) await() {
	m := &j.mail
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.looking || m.closed || j.Relay.Open == nil {
		return
	}
	m.looking = true
	if m.end == nil {
		m.end = make(chan struct{})
	}
	go func(end <-chan struct{}) {
		tick := time.NewTicker(lookAgain)
		defer tick.Stop()
		for !j.Relay.used() {
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), noteTime)
		defer cancel()
		j.Meet(ctx)
		m.mu.Lock()
		m.looking = false
		m.mu.Unlock()
	}(m.end)
}

// close gives all seats back.
func (m *mail) close() error {
	m.mu.Lock()
	m.closed = true
	if m.end != nil {
		close(m.end)
		m.end = nil
	}
	all := m.guests
	m.guests = nil
	m.mu.Unlock()
	var errs []error
	for _, g := range all {
		errs = append(errs, g.leave())
	}
	m.leaving.Wait()
	m.opening.Lock()
	defer m.opening.Unlock()
	m.shut = true
	if m.done != nil {
		m.done()
	}
	m.store, m.done = nil, nil
	return errors.Join(errs...)
}
