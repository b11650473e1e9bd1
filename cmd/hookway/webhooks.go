package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/webhook"
)

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
		carrying.Go(func() { s.Carry(ctx, webhookTargets(j, a.given)) })
	}
	c.Needed = func() bool { return needed() || s.Waiting() > 0 }
	c.Webhooks = func() []daemon.WebhookStatus { return webhookStatus(ctx, s, j.Log) }
	c.Close = func() {
		end()
		carrying.Wait()
		done()
		a.home.CloseWebhooks()
	}
}

// webhookTargets gives the webhooks of the user's configuration, as it is now. given are the
// variables that hookway serve was started with.
func webhookTargets(j *judge.Judge, given []string) func(context.Context) (spool.Loaded, error) {
	return func(ctx context.Context) (spool.Loaded, error) {
		all, err := j.Hooks(ctx, "")
		if err != nil {
			return spool.Loaded{}, err
		}
		loaded := all.Set.Told()
		for id, t := range loaded.Targets {
			post := t.Post
			t.Post = func(ctx context.Context, m webhook.Message) error {
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
