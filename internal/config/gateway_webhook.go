package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway/spool"
)

// webhookAs is a webhook that is told, and not asked.
type webhookAs struct {
	ID     string // in the spool
	Policy spool.Policy
}

// toldAs is how a webhook is told. One without an id is known by its URL: what waits
// for it must go to no other one when their order changes. Others at that URL have a
// number, too: their secrets may be different.
func (w *webhookSpec) toldAs(h *hookSpec) *webhookAs {
	as := &webhookAs{ID: h.id}
	if w.keys["id"] == nil {
		digest := sha256.Sum256([]byte(w.web.URL))
		as.ID = web.Label(w.web.URL) + "#" + hex.EncodeToString(digest[:4])
		if w.same > 0 {
			as.ID += fmt.Sprintf("-%d", w.same+1)
		}
	}
	if h.timeout != nil {
		as.Policy.Timeout = *h.timeout
	}
	if w.keys["max_retries"] != nil {
		as.Policy.Tries = h.retries + 1
	}
	return as
}

// countSame counts, for each webhook without an id that is told, those before it at the
// same URL.
func countSame(webhooks []*webhookSpec) {
	seen := map[string]int{}
	for _, w := range webhooks {
		if w.keys["id"] == nil && (w.keys["lane"] == nil || w.spec.lane == hook.Observe) {
			w.same = seen[w.web.URL]
			seen[w.web.URL]++
		}
	}
}

// leaseWebhook holds a webhook that is told by way of the spool.
func (l *builder) leaseWebhook(as *webhookAs, c web.Config) (*lease, error) {
	return newLease(func() (closing, error) {
		server, err := web.New(c)
		if err != nil {
			return nil, err
		}
		r := l.opts.Webhooks.Receiver(spool.Webhook{Place: l.userDir, ID: as.ID}, as.Policy, server)
		r.Form = l.told()
		return r, nil
	})
}

// told has what webhooks are told without what the configuration hides.
func (l *builder) told() spool.Form {
	set, tell := l.set, l.opts.Webhooks.Tell
	if tell == nil {
		return nil
	}
	return func(ctx context.Context, body []byte, ev hook.AnyEvent) ([]byte, error) {
		return tell(body, ev, hook.SettledOf(ctx), set.Settings.Redact)
	}
}

// Tells reports whether a hook is a webhook that is told by way of the spool.
func (s *Set) Tells(id string) bool {
	for i := range s.Hooks {
		if s.Hooks[i].ID == id {
			return s.Hooks[i].told != nil
		}
	}
	return false
}

// Told gives the webhooks that are told by way of the spool, as they are now.
func (s *Set) Told() spool.Loaded {
	all := spool.Loaded{Place: s.UserDir, Targets: map[string]spool.Target{}, Broken: s.lacksFile()}
	for _, h := range s.active() {
		if h.told == nil || h.lease == nil {
			continue
		}
		all.Targets[h.told.ID] = spool.Target{
			Webhook: spool.Webhook{Place: s.UserDir, ID: h.told.ID}, Policy: h.told.Policy,
			Post: func(ctx context.Context, m web.Message) error { return h.lease.post(ctx, m) },
		}
	}
	return all
}

// post sends a webhook's message.
func (l *lease) post(ctx context.Context, m web.Message) error {
	inner, err := l.take()
	if err != nil {
		return web.ErrClosed
	}
	defer l.give()
	r, ok := inner.(*spool.Receiver)
	if !ok {
		return errors.New("the hook is no webhook that is told")
	}
	return r.Post(ctx, m)
}
