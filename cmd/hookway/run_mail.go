package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/session"
)

// sessionMail is what the messages of a session stand on. done waits until the
// daemon was notified of those that were sent.
func (a *app) sessionMail(ctx context.Context) (mail *session.Mail, done func()) {
	p := &notifier{wanted: make(chan struct{}, 1), notify: a.home.NotifyRelay, log: a.home.Log}
	if a.home.Linked() { // what others send to the session comes with a daemon only
		p.every = daemonEvery
		p.want()
	}
	ctx = context.WithoutCancel(ctx)
	p.working.Go(func() { p.run(ctx) })
	return &session.Mail{Open: a.home.OpenRelay, Sent: p.want}, p.close
}

// daemonEvery is how often a session that other machines may send to looks whether
// there is a daemon, and starts one: after one was killed, nothing of theirs comes
// in for so long. One that was stopped has as long to stay so.
const daemonEvery = 10 * time.Second

// notifier notifies the daemon that there are messages to carry, in the background.
type notifier struct {
	wanted  chan struct{} // holds a token while the daemon is to be notified
	every   time.Duration // how often it is notified without that; 0 is never
	notify  func(context.Context) error
	log     *slog.Logger
	working sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

func (p *notifier) want() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed { // the next sender notifies it
		return
	}
	select {
	case p.wanted <- struct{}{}:
	default: // it will be notified
	}
}

func (p *notifier) close() {
	p.mu.Lock()
	p.closed = true
	close(p.wanted)
	p.mu.Unlock()
	p.working.Wait()
}

func (p *notifier) run(ctx context.Context) {
	var again <-chan time.Time
	if p.every > 0 {
		t := time.NewTicker(p.every)
		defer t.Stop()
		again = t.C
	}
	warned := false
	for {
		select {
		case _, open := <-p.wanted:
			if !open {
				return
			}
		case <-again:
		}
		if err := p.notify(ctx); err != nil && !warned {
			warned = true
			p.log.Warn("messages for other machines are kept, and wait", logline.Err, err)
		}
	}
}
