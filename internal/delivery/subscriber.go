package delivery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
)

// Relay is where the messages between agents are. The zero value has none.
type Relay struct {
	// Dir is the folder of the store. As long as no message was sent on this
	// machine there is no file in it, and nothing is opened or made.
	Dir string

	// Open gives the store, and what is to be called when it is not needed any more.
	Open func(context.Context) (store *relay.Store, done func(), err error)

	// Sent is called when a message for another machine may be in the store. Nil: no
	// machine is linked.
	Sent func(context.Context)

	// Patience is how long an event waits at most for the store, and for an inbox in it;
	// 0 is 2 s.
	Patience time.Duration
}

func (r *Relay) patience() time.Duration { return cmp.Or(r.Patience, 2*time.Second) }

// noting is how long the notes after an answer may take.
func (r *Relay) noting() time.Duration { return max(noteTime, r.Patience) }

func (r *Relay) used() bool {
	return r.Open != nil && relay.Exists(r.Dir)
}

// Bounds of the store.
const (
	noteTime    = 5 * time.Second        // and what is noted after the answer
	openAgain   = 10 * time.Second       // after it could not be opened
	lookAgain   = time.Second            // whether there is one by now
	leaveTime   = 500 * time.Millisecond // how long an end waits for its inbox to be given back
	sessionTime = time.Hour              // how long a session without events still counts
	maxSessions = 1024
)

// Native is the channel of agents' own hooks: it knows the agents of which events come,
// and makes an [Answer] for each event. Its first fields must not be changed once it is
// used; its methods may be called from many goroutines.
type Native struct {
	Relay    Relay
	Log      *slog.Logger // nil drops what goes wrong
	OneEvent bool         // this process answers one event, and ends

	// Later keeps text that an agent could not take at an event.
	Later Later

	mu          sync.Mutex
	subscribers map[Address]*subscriber
	looking     bool // for the file
	closed      bool
	end         chan struct{} // closed with it
	leaving     sync.WaitGroup

	meeting sync.Mutex // held while the agents that are known get their inboxes

	noting sync.Mutex // guards the files of what is unconfirmed: sessions of one name share one

	opening sync.Mutex   // guards what follows
	store   *relay.Store // nil: it was not opened
	done    func()
	failed  time.Time // when it could not be
	shut    bool
}

func (n *Native) log() *slog.Logger { return logline.Or(n.Log) }

// notice logs what went wrong with messages: that holds up no answer.
func (n *Native) notice(err error) {
	if err != nil {
		n.log().Warn("messages of agents", logline.Err, err)
	}
}

// subscriber is an agent that is not wrapped, in one session: messages reach it by
// its own hooks.
type subscriber struct {
	name string // what the user has named it; "" is by its session

	turn     sync.Mutex // held while the subscriber's inbox is used
	consumer *relay.Consumer
	p        relay.Presence
	gone     bool // its session has ended

	busy     bool          // an answer with messages is on its way
	kept     []relay.Taken // taken, and not decided
	unnoted  []Item        // shown to the agent, which is not noted yet
	printed  bool          // there may be something unconfirmed
	toProve  bool          // something was shown, and the agent has done nothing since
	at       time.Time     // since when
	row      int           // how often in a row it did not stop for a message or a hook
	reason   string        // why it was not to stop the last time
	complain sync.Once     // that it cannot join

	last time.Time // when an event of it came; guarded by Native.mu
}

// subscribe finds who an event is of, if messages can reach it by its own hooks and no
// other way: an agent that hookway run has wrapped gets them there, and what runs
// inside of a session or a hook has no messages of its own.
func (a *Answer) subscribe(ctx context.Context) {
	n, e := a.native, &a.event
	head := e.Head()
	if n.Relay.Open == nil || head.Session == "" || e.Inside || head.Subagent() != "" {
		return
	}
	who := Address{Session: head.Session, Agent: e.Agent}
	fresh := func() *subscriber {
		return &subscriber{name: e.Name, p: relay.Presence{
			Session: head.Session, Program: who.Agent, Kind: relay.KindHooks, CWD: head.CWD, Transcript: head.Transcript, PID: e.PID,
		}}
	}
	if e.is(hook.SessionEnd.Info()) { // some agents tell it twice
		fresh = nil
	}
	s := n.subscriber(who, fresh)
	if a.sub = s; s == nil {
		return
	}
	if !s.turn.TryLock() { // hooks may take their time over a message; this event must not wait for them
		return
	}
	defer s.turn.Unlock()
	ctx, cancel := context.WithTimeout(ctx, n.Relay.patience())
	defer cancel()
	known := s.p
	if head.Transcript != "" {
		s.p.Transcript = head.Transcript
	}
	if head.CWD != "" {
		s.p.CWD = head.CWD
	}
	if s.consumer == nil {
		if err := n.join(ctx, s); err != nil {
			s.complain.Do(func() { n.notice(fmt.Errorf("the agent cannot get any: %w", err)) })
		}
	} else if s.p != known {
		n.notice(s.consumer.Update(ctx, s.p))
	}
	a.arrive(ctx)
}

// subscriber finds the session, or makes it known.
func (n *Native) subscriber(who Address, fresh func() *subscriber) *subscriber {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	s := n.subscribers[who]
	if s == nil {
		if fresh == nil || n.closed {
			return nil
		}
		if n.subscribers == nil {
			n.subscribers = map[Address]*subscriber{}
		}
		n.forget(now)
		s = fresh()
		n.subscribers[who] = s
	}
	s.last = now
	return s
}

// forget removes the sessions that had no event for long, and the oldest one if there
// are too many. The caller holds mu.
func (n *Native) forget(now time.Time) {
	var oldest Address
	for who, s := range n.subscribers {
		if now.Sub(s.last) > sessionTime {
			delete(n.subscribers, who)
			n.leaving.Go(func() { _ = s.leave() })
		} else if o := n.subscribers[oldest]; o == nil || s.last.Before(o.last) {
			oldest = who
		}
	}
	if s := n.subscribers[oldest]; s != nil && len(n.subscribers) >= maxSessions {
		delete(n.subscribers, oldest)
		n.leaving.Go(func() { _ = s.leave() })
	}
}

// unsubscribe gives the inbox of a session back that has ended: what comes from now on
// waits until the session is resumed.
func (a *Answer) unsubscribe() {
	n, s := a.native, a.sub
	who := Address{Session: a.event.Head().Session, Agent: a.event.Agent}
	n.mu.Lock()
	if n.subscribers[who] == s {
		delete(n.subscribers, who)
	}
	n.mu.Unlock()
	left := make(chan error, 1)
	n.leaving.Go(func() { left <- s.leave() })
	select {
	case err := <-left:
		n.notice(err)
	case <-time.After(leaveTime): // hooks are still at a message; it ends all the same
	}
}

// leave gives the inbox back. The next event of the session takes it again.
func (s *subscriber) leave() error {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.gone = true
	if s.consumer == nil {
		return nil
	}
	consumer := s.consumer
	s.consumer = nil
	return consumer.Close()
}

// join gives a subscriber its inbox, if anybody on this machine has ever sent a message.
// The caller holds its turn.
func (n *Native) join(ctx context.Context, s *subscriber) error {
	if s.consumer != nil || s.gone {
		return nil
	}
	if !n.Relay.used() {
		n.await()
		return nil
	}
	store, err := n.Store(ctx)
	if store == nil || err != nil {
		return err
	}
	if s.p.Name == "" {
		if s.p.Name, err = n.nameFor(ctx, store, s); err != nil {
			return err
		}
	}
	s.consumer, err = store.Join(ctx, s.p)
	if err == nil {
		s.printed, s.toProve = len(readUnconfirmed(n.unconfirmedFile(s))) > 0, true // by a daemon before this one, perhaps
		return nil
	}
	s.consumer = nil
	return err
}

// SenderName is what others call the agent that is not wrapped, and ok whether there
// is one. It joins, should it not have been able to.
func (a *Answer) SenderName(ctx context.Context) (name string, ok bool, err error) {
	s := a.sub
	if s == nil {
		return "", false, nil
	}
	for !s.turn.TryLock() {
		if backoff.Sleep(ctx, 5*time.Millisecond) != nil {
			return "", true, ctx.Err()
		}
	}
	defer s.turn.Unlock()
	if s.p.Name == "" {
		if err := a.native.join(ctx, s); err != nil {
			return "", true, err
		}
	}
	if s.p.Name == "" {
		return s.p.Program, true, nil // its session has ended
	}
	return s.p.Name, true, nil
}

// Store gives the store, which it makes if there is none. Nil without an error means
// that it could not be opened a moment ago.
func (n *Native) Store(ctx context.Context) (*relay.Store, error) {
	n.opening.Lock()
	defer n.opening.Unlock()
	switch {
	case n.shut:
		return nil, errors.New("hookway is ending")
	case n.store != nil:
		return n.store, nil
	case time.Since(n.failed) < openAgain:
		return nil, nil //nolint:nilnil // the error was logged
	}
	ctx, cancel := context.WithTimeout(ctx, n.Relay.patience())
	defer cancel()
	store, done, err := n.Relay.Open(ctx)
	if err != nil {
		n.failed = time.Now()
		return nil, fmt.Errorf("the messages for agents cannot be read: %w", err)
	}
	sweepProfiles(n.Relay.Dir)
	n.store, n.done = store, done
	return store, nil
}

// machine is what other machines call this one.
func (n *Native) machine() string {
	n.opening.Lock()
	defer n.opening.Unlock()
	if n.store == nil {
		return ""
	}
	return n.store.Machine()
}

// Meet has the agents join that were there before the first message was: from then
// on they can be found and written to.
func (n *Native) Meet(ctx context.Context) {
	if !n.Relay.used() {
		return
	}
	n.meeting.Lock() // for another one to be over: it has the turns
	defer n.meeting.Unlock()
	n.mu.Lock()
	var all []*subscriber
	for _, s := range n.subscribers {
		all = append(all, s)
	}
	n.mu.Unlock()
	for _, s := range all {
		if !s.turn.TryLock() {
			continue // an event of it has it join
		}
		if err := n.join(ctx, s); err != nil {
			n.log().Warn(err.Error())
		}
		s.turn.Unlock()
	}
}

// await looks now and then whether somebody has sent the first message.
func (n *Native) await() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.looking || n.closed || n.Relay.Open == nil {
		return
	}
	n.looking = true
	if n.end == nil {
		n.end = make(chan struct{})
	}
	go func(end <-chan struct{}) {
		tick := time.NewTicker(lookAgain)
		defer tick.Stop()
		for !n.Relay.used() {
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), n.Relay.noting())
		defer cancel()
		n.Meet(ctx)
		n.mu.Lock()
		n.looking = false
		n.mu.Unlock()
	}(n.end)
}

// Close gives all inboxes back.
func (n *Native) Close() error {
	n.mu.Lock()
	n.closed = true
	if n.end != nil {
		close(n.end)
		n.end = nil
	}
	all := n.subscribers
	n.subscribers = nil
	n.mu.Unlock()
	var errs []error
	for _, s := range all {
		errs = append(errs, s.leave())
	}
	n.leaving.Wait()
	n.opening.Lock()
	defer n.opening.Unlock()
	n.shut = true
	if n.done != nil {
		n.done()
	}
	n.store, n.done = nil, nil
	return errors.Join(errs...)
}

// leastName is how many characters of its session's id an agent's name has at least.
const leastName = 4

// nameFor is what others call a subscriber: what its user has named it, or what it was
// called before, or a new name.
func (n *Native) nameFor(ctx context.Context, store *relay.Store, s *subscriber) (string, error) {
	if s.name != "" {
		return s.name, nil
	}
	file := n.profileFile(s)
	known, err := readProfile(file)
	if err != nil || known.Name != "" {
		return known.Name, err
	}
	if known.Name, err = freeName(ctx, store, s.p.Program, s.p.Session); err != nil {
		return "", err
	}
	return known.Name, known.write(file)
}

// freeName names an agent that the user has not named: after its program and the
// begin of its session's id, as long as it takes to be unique.
func freeName(ctx context.Context, store *relay.Store, program, session string) (string, error) {
	all, err := store.Agents(ctx)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	for _, a := range all {
		if a.Machine == store.Machine() {
			used[strings.ToLower(a.Name)] = true
		}
	}
	id := distinct(session)
	for n := leastName; n < len(id); n++ {
		if name := program + "-" + string(id[:n]); !used[name] {
			return name, nil
		}
	}
	return program + "-" + string(id), nil
}

// distinct gives the letters and digits of a session's id, those first that tell
// it from others: some ids begin with the time, which all of a day have in common.
func distinct(session string) []rune {
	var id []rune
	for _, r := range strings.ToLower(session) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			id = append(id, r)
		}
	}
	if len(id) < leastName { // few letters, or none that may be in a name
		sum := sha256.Sum256([]byte(session))
		id = append(id, []rune(hex.EncodeToString(sum[:8]))...)
	}
	id = id[:min(len(id), 40)]
	if byTime := len(session) == 36 && session[14] == '7' || strings.HasPrefix(session, "ses_"); byTime && len(id) > 12 {
		return append(id[len(id)-12:len(id):len(id)], id[:len(id)-12]...)
	}
	return id
}
