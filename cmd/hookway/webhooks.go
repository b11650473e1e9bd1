package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/judge"
)

// gatewayDir is where the gateway keeps what outlasts the daemon.
func (a *app) gatewayDir() (string, error) {
	_, state, err := config.Places(a.getenv)
	return filepath.Join(state, "gateway"), err
}

// webhooks keeps what webhooks are to be told.
func (a *app) webhooks() *spool.Spool { return a.webhooksWith(a.complain) }

func (a *app) webhooksWith(log func(string)) *spool.Spool {
	a.telling.Do(func() {
		if dir, err := a.gatewayDir(); err == nil { // else no configuration can be read either
			a.spool = spool.New(dir, log)
			a.spool.Tell = audit.Told
		}
	})
	return a.spool
}

// closeWebhooks waits for what is being kept; what is not sent, the daemon sends.
func (a *app) closeWebhooks() {
	if a.spool == nil {
		return
	}
	if err := a.spool.Close(); err != nil {
		a.complain(err.Error())
	}
}

// carryWebhooks has the daemon tell webhooks what this and other processes could not.
func (a *app) carryWebhooks(c *daemon.Config, j *judge.Judge) {
	s := j.Webhooks
	if s == nil {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	var carrying sync.WaitGroup
	ready, needed, done := c.Ready, c.Needed, c.Close
	c.Ready = func() {
		ready()
		carrying.Go(func() { s.Carry(ctx, judged{j}.told(a.given)) })
	}
	c.Needed = func() bool { return needed() || s.Waiting() > 0 }
	c.Webhooks = func() []daemon.WebhookStatus { return webhookStatus(ctx, s, j.Log) }
	c.Close = func() {
		end()
		carrying.Wait()
		done()
		a.closeWebhooks()
	}
}

// told gives the webhooks of the user's configuration, as it is now. given are the
// variables that hookway serve was started with.
func (e judged) told(given []string) func(context.Context) (spool.Loaded, error) {
	return func(ctx context.Context) (spool.Loaded, error) {
		all, err := e.j.Hooks(ctx, "")
		if err != nil {
			return spool.Loaded{}, err
		}
		loaded := all.Set.Told()
		for id, t := range loaded.Targets {
			post := t.Post
			t.Post = func(ctx context.Context, m web.Message) error {
				return post(command.WithEnviron(ctx, slices.Concat(given, command.Environ(ctx))), m)
			}
			loaded.Targets[id] = t
		}
		return loaded, nil
	}
}

// statusOfWebhooks bounds how long the file of the webhooks may take to be looked at.
const statusOfWebhooks = time.Second

// webhookStatus says how the webhooks stand that do not answer, or did not.
func webhookStatus(ctx context.Context, s *spool.Spool, log func(string)) (list []daemon.WebhookStatus) {
	ctx, cancel := context.WithTimeout(ctx, statusOfWebhooks)
	defer cancel()
	all, err := s.Status(ctx)
	if err != nil {
		log(err.Error())
	}
	for _, w := range all {
		one := daemon.WebhookStatus{ID: w.ID, Waiting: w.Waiting, Refused: w.Refused, Dropped: w.Dropped, Problem: w.Error}
		if !w.Since.IsZero() {
			one.Since, one.Next = &w.Since, &w.Next
		}
		list = append(list, one)
	}
	return list
}

// webhookLine says how a webhook stands.
func webhookLine(w daemon.WebhookStatus) string {
	text := []string{fmt.Sprintf("%d waiting", w.Waiting)}
	if w.Since != nil {
		text = append(text, "does not answer since "+time.Since(*w.Since).Round(time.Second).String(),
			"tried again in "+max(0, time.Until(*w.Next)).Round(time.Second).String())
	}
	if w.Dropped > 0 {
		text = append(text, fmt.Sprintf("%d dropped", w.Dropped))
	}
	if w.Refused > 0 {
		text = append(text, fmt.Sprintf("%d refused", w.Refused))
	}
	return hook.LogLine(field(w.ID, 120) + ": " + strings.Join(text, ", ") + after("; ", w.Problem))
}
