package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/notify"
)

// Channel makes what a configuration says of a channel. environ are the variables that its
// secrets may be in; answers since a time count.
func (h *Home) Channel(c config.ApprovalChannel, environ []string, since time.Time) (notify.Channel, error) {
	getenv := func(name string) string { return command.Getenv(environ, name) }
	if n := c.Ntfy; n != nil {
		return notify.NewNtfy(notify.Ntfy{
			Called: c.Name, URL: n.URL, Topic: n.Topic, Back: n.Answers, Getenv: getenv, Since: since,
			Token: notify.Secret{Env: n.TokenEnv, File: n.TokenFile}, Button: notify.Secret{Env: n.AnswerTokenEnv, File: n.AnswerTokenFile},
		}), nil
	}
	w, path := c.Webhook, ""
	if w.Answers != "" {
		path = "/hooks/" + w.Answers
	}
	one, err := notify.NewWebhook(notify.Webhook{Called: c.Name, Path: path, Secret: notify.Secret{Env: w.SecretEnv, File: w.SecretFile}},
		web.Config{URL: w.URL, Headers: w.Headers, AllowPrivate: w.AllowPrivate, Log: h.Log}, func(context.Context) []string { return environ }, getenv)
	if err != nil {
		return nil, fmt.Errorf("the channel %s: %w", c.Name, err)
	}
	return one, nil
}

// channelsNow are the channels of the configuration that count. Those that the owner has
// not minted do not, and are logged once.
func (a *asks) channelsNow() ([]config.ApprovalChannel, error) {
	read, changed, err := a.file.Read()
	if err != nil {
		return nil, err
	}
	if changed {
		a.read, a.unminted = read.Channels, nil
	}
	if len(a.read) == 0 {
		return nil, nil
	}
	minted, err := a.home.Minted()
	if err != nil {
		return nil, err
	}
	var count []config.ApprovalChannel
	for _, c := range a.read {
		if minted.Counts(c) {
			count = append(count, c)
		} else if !slices.Contains(a.unminted, c.Name) {
			a.unminted = append(a.unminted, c.Name)
			a.home.Log.Warn(fmt.Sprintf("asks are not sent over the channel %s: it is new, or leads elsewhere than before; hookway approvals mint %s, in a terminal of your own, has it count", c.Name, c.Name))
		}
	}
	return count, nil
}
