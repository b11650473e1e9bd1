package spool

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/webhook"
)

// Bounds of sending.
const (
	atOnce     = 4                // requests to one webhook
	mostTaken  = 32               // messages that are taken out together
	mostBytes  = 4 << 20          // of which no more are added
	startTime  = 5 * time.Second  // after which none of them is begun
	tryTime    = 30 * time.Second // for one, without a time of its own
	shortTime  = 5 * time.Second  // for one, in a process that does not carry
	settleTime = 5 * time.Second  // for what became of them to be noted
)

// carrier is the owner of the leases of the process that carries.
const carrier = "carrier"

// send has a receiver's messages sent.
func (s *Spool) send(r *Receiver) {
	r.mu.Lock()
	env := r.env
	r.mu.Unlock()
	s.mu.Lock()
	s.latest[r.Webhook] = r
	delete(s.rest, r.Webhook) // it may bring what was missing
	s.mu.Unlock()
	s.begin(&sender{Spool: s, target: r.Target, from: r, env: env})
}

// begin starts a sender, or tells the one that works already.
func (s *Spool) begin(one *sender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if other := s.senders[one.target.Webhook]; other != nil {
		other.again = true
		return
	}
	one.ended, one.leads = make(chan struct{}), s.carries
	s.senders[one.target.Webhook] = one
	s.working.Go(one.run)
}

func (one *sender) run() {
	defer close(one.ended)
	defer one.wake()
	for one.round() || one.more() {
	}
}

// more reports whether somebody wants more to be sent; else the sender has ended.
func (one *sender) more() bool {
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.again && !one.closed {
		one.again, one.stopped = false, false
		if r := one.latest[one.target.Webhook]; r != nil && one.from != nil {
			r.mu.Lock()
			one.target, one.from, one.env = r.Target, r, r.env
			r.mu.Unlock()
		}
		return true
	}
	delete(one.senders, one.target.Webhook)
	return false
}

// round sends what is due, some messages at a time. It reports whether there may be more.
func (one *sender) round() bool {
	w := one.target.Webhook
	one.mu.Lock()
	before := one.unsettled[w]
	delete(one.unsettled, w)
	one.mu.Unlock()
	most := mostTaken
	if one.stopped || one.ctx.Err() != nil { // what was sent is noted all the same
		most = 0
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(one.ctx), settleTime)
	defer cancel()
	c := one.claim(most)
	rows, err := c.run(ctx, before)
	if err != nil {
		one.keepResults(before, err)
		return false
	}
	if len(rows) == 0 {
		return false
	}
	results, goOn := one.post(c, rows)
	one.keepResults(results, nil) // for the next round to note
	one.stopped = !goOn
	return true
}

// claim is one for at most so many messages.
func (one *sender) claim(most int) *claim {
	c := &claim{Spool: one.Spool, target: &one.target, owner: carrier, most: most, now: time.Now(), lease: startTime + one.target.timeout(one.leads) + settleTime}
	if !one.leads {
		c.owner = one.owner
		if one.from != nil {
			one.from.mu.Lock()
			c.first = one.from.first
			one.from.mu.Unlock()
		}
	}
	return c
}

// timeout bounds one try.
func (t *Target) timeout(carries bool) time.Duration {
	limit := t.Timeout
	if limit == 0 {
		limit = tryTime
	}
	if !carries {
		limit = min(limit, shortTime)
	}
	return limit
}

// keepResults keeps what is not noted yet: nothing is sent before it is.
func (one *sender) keepResults(results []result, err error) {
	if err != nil && one.ctx.Err() == nil {
		one.logOnce("send", "messages for webhooks wait: %v", err)
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.unsettled[one.target.Webhook] = append(one.unsettled[one.target.Webhook], results...)
	if err != nil {
		one.rest[one.target.Webhook] = time.Now().Add(settleTime)
	}
}

// post sends messages. When one has failed, no more are begun. It reports whether
// there may be more to send.
func (one *sender) post(c *claim, rows []*claimed) (results []result, goOn bool) {
	results = make([]result, len(rows))
	for i, row := range rows {
		results[i].claimed = row
	}
	var next atomic.Int64
	var stop, unable atomic.Bool
	var under sync.WaitGroup
	limit := one.target.timeout(one.leads)
	for range min(atOnce, len(rows)) {
		under.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(rows) || stop.Load() || one.ctx.Err() != nil || time.Since(c.now) > startTime {
					return
				}
				one.try(&results[i], limit)
				if results[i].fate != delivered {
					stop.Store(true)
				}
				if results[i].fate == untried {
					unable.Store(true)
				}
			}
		})
	}
	under.Wait()
	return results, !unable.Load() && one.ctx.Err() == nil
}

// try sends one message.
func (one *sender) try(r *result, limit time.Duration) {
	ctx, cancel := context.WithTimeout(one.env, limit)
	defer cancel()
	defer context.AfterFunc(one.ctx, cancel)()
	err := one.target.Post(ctx, r.Message)
	var status *webhook.StatusError
	errors.As(err, &status)
	switch {
	case err == nil:
		r.fate = delivered
	case errors.Is(err, webhook.ErrUnset):
		r.fate, r.err = untried, err
		one.unable(err)
	case errors.Is(err, webhook.ErrClosed), one.ctx.Err() != nil:
		r.fate = untried
	case status != nil && status.Status == http.StatusGone:
		r.fate, r.err = gone, err
	default:
		r.fate, r.err = failed, err
		if status != nil {
			r.after = status.RetryAfter
			r.refused = status.Status < 500 && status.Status != http.StatusTooManyRequests || status.Status == http.StatusInternalServerError
		}
	}
}

// unable notes that nothing can be sent here, until the webhook gets something
// with what is missing. What an event lacks, the daemon may have: Carry tries next.
func (one *sender) unable(err error) {
	if one.leads && !one.carried {
		return
	}
	one.logAfter(keepTime, "unable\x00"+err.Error(), "webhook %s waits: %s", one.target.ID, hook.LogLine(err.Error()))
	if !one.carried {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.rest[one.target.Webhook] = time.Now().Add(one.rests())
}
