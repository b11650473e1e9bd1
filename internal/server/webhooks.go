package server

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/webhook"
)

// GatewayDir is where the gateway keeps what outlasts the daemon.
func (h *Home) GatewayDir() (string, error) {
	return h.folder("gateway")
}

// Webhooks keeps the events that webhooks are to receive.
func (h *Home) Webhooks() *spool.Spool {
	h.spooling.Do(func() {
		if dir, err := h.GatewayDir(); err == nil { // else no configuration can be read either
			h.spool = spool.New(dir, h.Log)
			h.spool.Tell = audit.Told
		}
	})
	return h.spool
}

// CloseWebhooks waits for what is being kept; what is not sent, the daemon sends.
func (h *Home) CloseWebhooks() {
	if h.spool == nil {
		return
	}
	if err := h.spool.Close(); err != nil {
		h.Log.Warn(err.Error())
	}
}

// webhookTargets gives the webhooks of the user's configuration, as it is now. given are
// variables that may be secrets in it.
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
func webhookStatus(ctx context.Context, s *spool.Spool, log *slog.Logger) (list []daemon.WebhookStatus) {
	ctx, cancel := context.WithTimeout(ctx, statusOfWebhooks)
	defer cancel()
	all, err := s.Status(ctx)
	if err != nil {
		log.Warn(err.Error())
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
