package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/doctor"
	"github.com/hookway/hookway/internal/notify"
	"github.com/hookway/hookway/internal/visible"
)

// examinedChannels are the channels of the configuration, for doctor.
func (e *examining) examinedChannels() (all []doctor.Channel) {
	file := config.ApprovalsFile{Getenv: e.getenv, Managed: e.home.Managed}
	read, _, err := file.Read()
	if err != nil {
		return nil // the configuration's own findings say it
	}
	minted, unread := e.home.Minted()
	for _, c := range read.Channels {
		one := doctor.Channel{Name: c.Name, Leads: leads(c), Counts: unread == nil && minted.Counts(c), Refused: notify.Refused}
		channel, err := e.home.Channel(c, e.environ(), time.Now())
		one.Check = func(ctx context.Context) error {
			if err != nil {
				return err
			}
			return channel.Check(ctx)
		}
		one.Test = func(ctx context.Context) error {
			if err != nil {
				return err
			}
			return channel.Send(ctx, notify.Card{Test: true})
		}
		all = append(all, one)
	}
	return all
}

// leads says where a channel leads. What anybody could use who knows it is a secret: of
// topics without a token the beginning is shown, and of a service its host.
func leads(c config.ApprovalChannel) string {
	if n := c.Ntfy; n != nil {
		topic := func(name string) string {
			if n.TokenEnv+n.TokenFile == "" {
				name = name[:min(4, len(name))] + "…"
			}
			return visible.Line(name)
		}
		return fmt.Sprintf("the ntfy server %s, topic %s; answers come from the topic %s there", visible.Line(n.URL), topic(n.Topic), topic(n.Answers))
	}
	host := "that its URL names"
	if u, err := url.Parse(c.Webhook.URL); err == nil {
		host = u.Host
	}
	text := "the service " + visible.Line(host)
	if c.Webhook.Answers != "" {
		text += "; it answers at /hooks/" + c.Webhook.Answers
	}
	return text
}
