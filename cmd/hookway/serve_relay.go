package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// carrier has the store of messages open for the daemon, from the first time that
// somebody needs it, and links it with other machines, if there are any. Messages of
// this machine need neither: whoever sends one delivers it.
type carrier struct {
	app *app
	log func(string)
	ctx context.Context // of all it starts
	end context.CancelFunc

	leases leases // what programs were given

	mu       sync.Mutex
	closed   bool
	starting chan struct{} // closed when a start has ended; nil: none is under way
	store    *relay.Store
	bus      *bus.Bus      // nil: it is not linked
	problem  string        // why it is not, though it should be
	pause    time.Duration // before it starts again by itself
	again    *time.Timer   // that does so; nil: it has not failed
	look     *time.Timer   // looks whether the store is still there
}

// lookEvery is how often that is looked at beside each poke.
const lookEvery = time.Minute

// The pauses before a start that failed is tried again: what waits was accepted, and
// nobody may come to poke.
const (
	startAgain = time.Second
	startMost  = time.Minute
)

func (a *app) newCarrier(log func(string)) *carrier {
	c := &carrier{app: a, log: log}
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// Poke says that something was sent, maybe by another process: who waits for it in
// this one looks, and what is for other machines goes there. Where nobody has used the
// store yet it is opened, which delivers what a sender of an older version left in the
// outbox. It does not wait for a start.
func (c *carrier) Poke() error {
	linked, stored := c.app.linked(), c.stored()
	c.mu.Lock()
	store := c.store
	switch {
	case c.closed:
		c.mu.Unlock()
		return errors.New("the daemon is ending; call again, and the next one answers")
	case c.starting != nil: // it will look
		store = nil
	case store != nil && store.Gone():
		c.starting = make(chan struct{})
		go c.anew(c.bus, store, c.starting)
		c.bus, c.store, store = nil, nil, nil
	case linked && c.bus == nil, stored && store == nil:
		c.starting = make(chan struct{})
		go c.start(c.starting)
	}
	c.mu.Unlock()
	if store == nil {
		return nil // nobody here waits
	}
	return store.Poke(c.ctx)
}

// settleTime is how long a poke waits for a start, which may fail at once.
const settleTime = 500 * time.Millisecond

// settled is why nothing is carried; "" if it is, or if that is not known soon.
func (c *carrier) settled() string {
	c.mu.Lock()
	starting := c.starting
	c.mu.Unlock()
	if starting != nil {
		late := time.NewTimer(settleTime)
		defer late.Stop()
		select {
		case <-starting:
		case <-late.C:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bus != nil {
		return ""
	}
	return c.problem
}

// anew carries what is in the file of messages that there is now, after the one that
// was open was moved away or removed.
func (c *carrier) anew(b *bus.Bus, store *relay.Store, ended chan struct{}) {
	c.log("the file of messages was moved away or removed: what is there now is carried")
	ctx, cancel := context.WithTimeout(c.ctx, carrierEnd)
	defer cancel()
	err := c.leases.Close()
	if b != nil {
		err = errors.Join(err, b.Close(ctx))
	}
	if err := errors.Join(err, store.Close()); err != nil {
		c.log(fmt.Sprintf("the end of the relay before: %v", err))
	}
	c.start(ended)
}

// start opens the store, and links it if there are other machines. After a failure it
// is tried again.
func (c *carrier) start(ended chan struct{}) {
	defer close(ended) // after all else is settled
	store, err := c.open()
	var b *bus.Bus
	if err == nil && c.app.linked() {
		b, err = c.run(store)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.starting = nil
	if err == nil {
		c.bus, c.problem = b, ""
		return
	}
	if c.closed {
		return
	}
	if c.again != nil {
		c.again.Stop()
	}
	c.pause = min(max(2*c.pause, startAgain), startMost)
	c.again = time.AfterFunc(c.pause, func() { _ = c.Poke() })
	if text := hook.LogLine(err.Error()); text != c.problem {
		c.problem = text
		c.log("the relay could not be started, and is tried again: " + text)
	}
}

// lookAgain looks whether the store is still there, now and then.
func (c *carrier) lookAgain() {
	c.mu.Lock()
	gone := c.store != nil && c.store.Gone()
	if !c.closed {
		c.look.Reset(lookEvery)
	}
	c.mu.Unlock()
	if gone {
		_ = c.Poke()
	}
}

func (c *carrier) run(store *relay.Store) (*bus.Bus, error) {
	dir, err := c.app.relayDir()
	if err != nil {
		return nil, err
	}
	r, err := config.RelayOf(c.app.getenv)
	if err != nil {
		return nil, err
	}
	to := bus.Config{
		Dir: natsDir(dir), NATS: r.NATS, Creds: r.Creds, TLS: bus.TLS(r.TLS),
		Leaf: bus.Leaf{Listen: r.Leaf.Listen, TLS: bus.TLS(r.Leaf.TLS), TokenFile: r.Leaf.TokenFile},
		Log:  c.log,
	}
	for _, m := range r.Leaf.Remotes {
		to.Leaf.Remotes = append(to.Leaf.Remotes, bus.Remote{URL: m.URL, Creds: m.Creds, TokenFile: m.TokenFile, TLS: bus.TLS(m.TLS)})
	}
	return bus.Start(c.ctx, store, to)
}

// natsDir is where the server of messages has its files.
func natsDir(relayDir string) string { return filepath.Join(relayDir, "nats") }

// open opens the store, once.
func (c *carrier) open() (*relay.Store, error) {
	c.mu.Lock()
	store, closed := c.store, c.closed
	c.mu.Unlock()
	if store != nil || closed {
		return store, closedError(closed)
	}
	store, err := c.app.openRelay(c.ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.store != nil { // meanwhile
		return c.store, errors.Join(closedError(c.closed), store.Close())
	}
	c.store = store
	if c.look == nil {
		c.look = time.AfterFunc(lookEvery, c.lookAgain)
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
func (c *carrier) forJudge(r delivery.Relay) delivery.Relay {
	r.Open = func(context.Context) (*relay.Store, func(), error) {
		store, err := c.open()
		return store, func() {}, err
	}
	r.Sent = func(context.Context) {
		if err := c.Poke(); err != nil {
			c.log(err.Error())
		}
	}
	return r
}

// begin links this machine with others, if there are any, and delivers what an older
// version left in the outbox: sessions that run since before an update wait for that,
// and do not do it themselves.
func (c *carrier) begin() {
	if c.app.linked() || c.stored() {
		_ = c.Poke()
	}
}

// stored reports whether anybody has used the relay.
func (c *carrier) stored() bool {
	dir, err := c.app.relayDir()
	return err == nil && relay.Exists(dir)
}

// Needed reports that the daemon must stay: other machines send to it.
func (c *carrier) Needed() bool {
	c.mu.Lock()
	used := c.bus != nil || c.starting != nil
	c.mu.Unlock()
	return used && c.app.linked()
}

// Status is how it stands.
func (c *carrier) Status() *daemon.RelayStatus {
	c.mu.Lock()
	b, problem := c.bus, c.problem
	c.mu.Unlock()
	st := &daemon.RelayStatus{Mode: "off", Peers: []string{}, Problem: problem}
	if b == nil {
		return st
	}
	now := b.Status()
	st.Mode, st.Machine, st.Connected, st.Waiting = now.Mode, now.Machine, now.Connected, now.Outgoing
	for _, p := range now.Peers {
		st.Heard = append(st.Heard, daemon.Heard{Machine: p.Machine, Linked: p.Reachable, At: p.LastContact})
		if p.Reachable {
			st.Peers = append(st.Peers, p.Machine)
		}
	}
	if now.LastError != "" {
		st.Problem = hook.LogLine(now.LastError)
	}
	return st
}

// carrierEnd bounds how long the server of messages may take to end.
const carrierEnd = 5 * time.Second

// Close ends it. What is not carried yet waits for the next daemon.
func (c *carrier) Close() {
	c.mu.Lock()
	c.closed = true
	starting := c.starting
	if c.again != nil {
		c.again.Stop()
	}
	if c.look != nil {
		c.look.Stop()
	}
	c.mu.Unlock()
	if starting != nil {
		c.end()
		<-starting
	}
	c.mu.Lock()
	b, store := c.bus, c.store
	c.bus, c.store = nil, nil
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), carrierEnd)
	defer cancel()
	var errs []error
	if b != nil {
		errs = append(errs, b.Close(ctx))
	}
	c.end()
	errs = append(errs, c.leases.Close())
	if store != nil {
		errs = append(errs, store.Close())
	}
	if err := errors.Join(errs...); err != nil {
		c.log(fmt.Sprintf("the end of the relay: %v", err))
	}
}
