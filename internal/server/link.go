package server

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// link holds the store of messages open for the daemon, from the first time that it is
// needed, and links it with other machines, if there are any. Messages of this machine
// need neither: their sender delivers them.
type link struct {
	home *Home
	ctx  context.Context // of all it starts
	end  context.CancelFunc

	leases leases // what programs were given

	mu       sync.Mutex
	closed   bool
	starting chan struct{} // closed when a start has ended; nil: none is under way
	store    *relay.Store
	bus      *bus.Bus        // nil: it is not linked
	problem  string          // why it is not, though it should be
	pause    backoff.Backoff // before it starts again by itself
	again    *time.Timer     // that does so; nil: it has not failed
	look     *time.Timer     // looks whether the store is still there
}

// lookEvery is how often that is looked at beside each notification.
const lookEvery = time.Minute

// The pauses before a start that failed is tried again: what waits was accepted, and
// there may be no further notification.
const (
	startAgain = time.Second
	startMost  = time.Minute
)

func newLink(h *Home) *link {
	l := &link{home: h, pause: backoff.Backoff{First: startAgain, Most: startMost}}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// notify says that something was sent, maybe by another process: who waits for it in
// this one looks, and what is for other machines goes there. A store that was not used
// yet is opened, which delivers what a sender of an older version left in the
// outbox. It does not wait for a start.
func (l *link) notify() error {
	linked, stored := l.home.Linked(), l.stored()
	l.mu.Lock()
	store := l.store
	switch {
	case l.closed:
		l.mu.Unlock()
		return errors.New("the daemon is ending; call again, and the next one answers")
	case l.starting != nil: // it will look
		store = nil
	case store != nil && store.Gone():
		l.starting = make(chan struct{})
		go l.anew(l.bus, store, l.starting)
		l.bus, l.store, store = nil, nil, nil
	case linked && l.bus == nil, stored && store == nil:
		l.starting = make(chan struct{})
		go l.start(l.starting)
	}
	l.mu.Unlock()
	if store == nil {
		return nil // nothing here waits
	}
	return store.Notify(l.ctx)
}

// settleTime is how long a notification waits for a start, which may fail at once.
const settleTime = 500 * time.Millisecond

// settled is why nothing is carried; "" if it is, or if that is not known soon.
func (l *link) settled() string {
	l.mu.Lock()
	starting := l.starting
	l.mu.Unlock()
	if starting != nil {
		late := time.NewTimer(settleTime)
		defer late.Stop()
		select {
		case <-starting:
		case <-late.C:
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bus != nil {
		return ""
	}
	return l.problem
}

// anew carries what is in the file of messages that there is now, after the one that
// was open was moved away or removed.
func (l *link) anew(b *bus.Bus, store *relay.Store, ended chan struct{}) {
	l.home.Log.Warn("the file of messages was moved away or removed: what is there now is carried")
	ctx, cancel := context.WithTimeout(l.ctx, linkEnd)
	defer cancel()
	err := l.leases.Close()
	if b != nil {
		err = errors.Join(err, b.Close(ctx))
	}
	if err := errors.Join(err, store.Close()); err != nil {
		l.home.Log.Warn("the end of the relay before", logline.Err, err)
	}
	l.start(ended)
}

// start opens the store, and links it if there are other machines. After a failure it
// is tried again.
func (l *link) start(ended chan struct{}) {
	defer close(ended) // after all else is settled
	store, err := l.open()
	var b *bus.Bus
	if err == nil && l.home.Linked() {
		b, err = l.run(store)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = nil
	if err == nil {
		l.bus, l.problem = b, ""
		return
	}
	if l.closed {
		return
	}
	if l.again != nil {
		l.again.Stop()
	}
	l.again = time.AfterFunc(l.pause.Next(), func() { _ = l.notify() })
	if text := hook.LogLine(err.Error()); text != l.problem {
		l.problem = text
		l.home.Log.Warn("the relay could not be started, and is tried again: " + text)
	}
}

// lookAgain looks whether the store is still there, now and then.
func (l *link) lookAgain() {
	l.mu.Lock()
	gone := l.store != nil && l.store.Gone()
	if !l.closed {
		l.look.Reset(lookEvery)
	}
	l.mu.Unlock()
	if gone {
		_ = l.notify()
	}
}

func (l *link) run(store *relay.Store) (*bus.Bus, error) {
	dir, err := l.home.RelayDir()
	if err != nil {
		return nil, err
	}
	r, err := config.RelayOf(l.home.Getenv)
	if err != nil {
		return nil, err
	}
	to := bus.Config{
		Dir: natsDir(dir), NATS: r.NATS, Creds: r.Creds, TLS: bus.TLS(r.TLS),
		Leaf: bus.Leaf{Listen: r.Leaf.Listen, TLS: bus.TLS(r.Leaf.TLS), TokenFile: r.Leaf.TokenFile},
		Log:  l.home.Log,
	}
	for _, m := range r.Leaf.Remotes {
		to.Leaf.Remotes = append(to.Leaf.Remotes, bus.Remote{URL: m.URL, Creds: m.Creds, TokenFile: m.TokenFile, TLS: bus.TLS(m.TLS)})
	}
	return bus.Start(l.ctx, store, to)
}

// natsDir is where the server of messages has its files.
func natsDir(relayDir string) string { return filepath.Join(relayDir, "nats") }

// open opens the store, once.
func (l *link) open() (*relay.Store, error) {
	l.mu.Lock()
	store, closed := l.store, l.closed
	l.mu.Unlock()
	if store != nil || closed {
		return store, closedError(closed)
	}
	store, err := l.home.OpenRelay(l.ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.store != nil { // meanwhile
		return l.store, errors.Join(closedError(l.closed), store.Close())
	}
	l.store = store
	if l.look == nil {
		l.look = time.AfterFunc(lookEvery, l.lookAgain)
	}
	return store, nil
}

func closedError(closed bool) error {
	if closed {
		return errors.New("the daemon is ending")
	}
	return nil
}

// forJudge is the relay as a judge has it that lives as long as the daemon: with the
// store that is open already.
func (l *link) forJudge(r delivery.Relay) delivery.Relay {
	r.Open = func(context.Context) (*relay.Store, func(), error) {
		store, err := l.open()
		return store, func() {}, err
	}
	r.Sent = func(context.Context) {
		if err := l.notify(); err != nil {
			l.home.Log.Warn(err.Error())
		}
	}
	return r
}

// begin links this machine with others, if there are any, and delivers what an older
// version left in the outbox: sessions that run since before an update wait for that,
// and do not do it themselves.
func (l *link) begin() {
	if l.home.Linked() || l.stored() {
		_ = l.notify()
	}
}

// stored reports whether anybody has used the relay.
func (l *link) stored() bool {
	dir, err := l.home.RelayDir()
	return err == nil && relay.Exists(dir)
}

// Needed reports that the daemon must stay: other machines send to it.
func (l *link) Needed() bool {
	l.mu.Lock()
	used := l.bus != nil || l.starting != nil
	l.mu.Unlock()
	return used && l.home.Linked()
}

// Status is how it stands.
func (l *link) Status() *daemon.RelayStatus {
	l.mu.Lock()
	b, problem := l.bus, l.problem
	l.mu.Unlock()
	st := &daemon.RelayStatus{Mode: "off", Peers: []string{}, Problem: problem}
	if b == nil {
		return st
	}
	now := b.Status()
	st.Mode, st.Machine, st.Connected, st.Waiting = now.Mode, now.Machine, now.Connected, now.Outgoing
	for _, p := range now.Peers {
		st.Heard = append(st.Heard, daemon.Contact{Machine: p.Machine, Linked: p.Reachable, At: p.LastContact})
		if p.Reachable {
			st.Peers = append(st.Peers, p.Machine)
		}
	}
	if now.LastError != "" {
		st.Problem = hook.LogLine(now.LastError)
	}
	return st
}

// linkEnd bounds how long the server of messages may take to end.
const linkEnd = 5 * time.Second

// Close ends it. What is not carried yet waits for the next daemon.
func (l *link) Close() {
	l.mu.Lock()
	l.closed = true
	starting := l.starting
	if l.again != nil {
		l.again.Stop()
	}
	if l.look != nil {
		l.look.Stop()
	}
	l.mu.Unlock()
	if starting != nil {
		l.end()
		<-starting
	}
	l.mu.Lock()
	b, store := l.bus, l.store
	l.bus, l.store = nil, nil
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), linkEnd)
	defer cancel()
	var errs []error
	if b != nil {
		errs = append(errs, b.Close(ctx))
	}
	l.end()
	errs = append(errs, l.leases.Close())
	if store != nil {
		errs = append(errs, store.Close())
	}
	if err := errors.Join(errs...); err != nil {
		l.home.Log.Warn("the end of the relay", logline.Err, err)
	}
}
