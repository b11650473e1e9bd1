package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/sleep"
)

// Mail is what the messages of a session stand on.
type Mail struct {
	// Open opens the store of messages, and after an error is asked again now and
	// then. It is called in the background. The session closes the store.
	Open func(context.Context) (*relay.Store, error)

	// Sent is called when a message is in the store, so that somebody carries it on.
	// It must not wait. Nil: nobody is told.
	Sent func()
}

const (
	openAgain = time.Second      // after the first time that the store could not be opened
	openMost  = 30 * time.Second // after many

	noteMost  = 10               // how often it is tried to note what became of a message
	noteAgain = time.Second      // the longest pause in between
	noteTime  = 10 * time.Second // for one try
)

// office is where the messages of a session come and go: a seat in the store. It
// is open as soon as it can be, and nobody waits for that but those who send.
type office struct {
	s    *session
	mail Mail
	seat *relay.Seat // with the store, holds when opened is closed

	store    *relay.Store
	opened   chan struct{}
	ctx      context.Context // ends with close
	cancel   context.CancelFunc
	starting sync.Once
	broken   atomic.Pointer[error] // why it is not open yet, if that is known
	working  sync.WaitGroup
	flight   flight
	judged   judged
	step     func(step string, id string) // is told of each step of a message; for tests
	attends  attends
}

// newOffice is nil if there is nothing that messages can stand on.
func newOffice(s *session, mail *Mail) *office {
	if mail == nil {
		return nil
	}
	o := &office{s: s, mail: *mail, opened: make(chan struct{}), flight: newFlight(), step: func(string, string) {}}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

// start has the office open in the background.
func (o *office) start() {
	o.starting.Do(func() {
		o.working.Go(o.open)
	})
}

func (o *office) open() {
	for pause := openAgain; ; pause = min(2*pause, openMost) {
		err := o.join()
		if err == nil {
			close(o.opened)
			return
		}
		if o.ctx.Err() != nil {
			return
		}
		o.broken.Store(&err)
		if relay.Refused(err) { // its name cannot be that of an agent
			o.s.warnings.addf("%s gets no messages: %v", o.s.env.Agent, err)
			o.cancel()
			return
		}
		if pause == openAgain {
			o.s.warnings.addf("messages to and from %s wait: %v", o.s.env.Agent, err)
		}
		if sleep.For(o.ctx, pause) != nil {
			return
		}
	}
}

// join opens the store and takes the seat.
func (o *office) join() error {
	store, err := o.mail.Open(o.ctx)
	if err != nil {
		return err
	}
	seat, err := store.Join(o.ctx, o.presence(""))
	if err != nil {
		_ = store.Close()
		return err
	}
	o.store, o.seat = store, seat
	if leads, err := seat.Leads(o.ctx); err == nil && !leads {
		o.second()
	}
	return nil
}

// second tells the user of another session of the same name, which has the inbox.
// Should it not be known any more, it has ended, or only looked into the inbox.
func (o *office) second() {
	env := o.s.env
	all, _ := o.store.Agents(o.ctx)
	for _, a := range all {
		if a.Machine == o.store.Machine() && strings.EqualFold(a.Name, env.Agent) && a.Session != "" && a.Session != env.Session && a.Kind != relay.KindPerson {
			o.s.warnings.addf("another session of %s (%s in %s) was there first and has its inbox: this one got only what was sent to its own id, %s, until that one ended; "+
				"hookway run -n NAME gives a session a name of its own", a.Name, a.Program, a.CWD, env.Session)
		}
	}
}

func (o *office) presence(transcript string) relay.Presence {
	s := o.s
	return relay.Presence{
		Session: s.env.Session, Name: s.env.Agent, Program: filepath.Base(s.command[0]), CWD: s.env.CWD, Kind: relay.KindWrapped,
		Transcript: transcript, History: s.history.path,
	}
}

// wait waits until the office is open.
func (o *office) wait(ctx context.Context) bool {
	o.start()
	select {
	case <-o.opened:
		return true
	default:
	}
	select {
	case <-o.opened:
		return true
	case <-ctx.Done():
	case <-o.ctx.Done():
	}
	return false
}

// shut says why messages cannot be sent.
func (o *office) shut() error {
	if err := o.broken.Load(); err != nil {
		return *err
	}
	return errors.New("the store of messages is not open")
}

// poke says that there may be messages.
func (o *office) poke() {
	if o == nil {
		return
	}
	select {
	case <-o.opened:
		o.seat.Poke()
	default: // it looks when it is open
	}
}

// close gives the seat back. What was begun and not finished is given to the
// agent's next session, which finds out what became of it.
func (o *office) close() {
	if o == nil {
		return
	}
	o.cancel()
	o.starting.Do(func() {}) // from now on it is not opened
	o.working.Wait()
	select {
	case <-o.opened:
	default:
		return
	}
	if err := o.seat.Close(); err != nil {
		o.s.warnings.addf("the place of %s in the store of messages was not given back: %v", o.s.env.Agent, err)
	}
	if err := o.store.Close(); err != nil {
		o.s.warnings.addf("the store of messages was not closed: %v", err)
	}
}

// note tells the store what became of a message. It does not give up at once: as
// long as the store does not know, the message may be given out again.
func (o *office) note(do func(ctx context.Context) error) {
	for try, pause := 1, 10*time.Millisecond; ; try, pause = try+1, min(2*pause, noteAgain) {
		ctx, cancel := context.WithTimeout(context.Background(), noteTime)
		err := do(ctx)
		cancel()
		switch {
		case err == nil || relay.Refused(err):
			return
		case try == noteMost || o.ctx.Err() != nil:
			o.s.warnings.addf("what became of a message could not be noted: %v", err)
			return
		}
		_ = sleep.For(o.ctx, pause)
	}
}

// mailHooks are the hooks of the session, for what it sends.
type mailHooks struct{ s *session }

var _ delivery.Hooks = mailHooks{}

// Sending fires MessageSending.
func (h mailHooks) Sending(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return judge(ctx, h.s, hook.MessageSending, m)
}

// Sent fires MessageSent.
func (h mailHooks) Sent(ctx context.Context, d hook.Delivery) {
	_, _ = judge(ctx, h.s, hook.MessageSent, d) // it may only be observed
}

// Received fires MessageReceived.
func (h mailHooks) Received(ctx context.Context, m hook.Message) (hook.Outcome[hook.Message], error) {
	return judge(ctx, h.s, hook.MessageReceived, m)
}

// notThere is told those who send where no messages can be sent.
func notThere(s *session) error {
	return fmt.Errorf("%s has nobody to send messages to", s.env.Agent)
}
