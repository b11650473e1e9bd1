package server

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/doctor"
	"github.com/hookway/hookway/internal/notify"
	"github.com/hookway/hookway/internal/visible"
)

// Checkup is what doctor looks at in a folder, of these agents; none means those that are
// found or installed.
func (h *Home) Checkup(dir string, agents ...string) *doctor.Checkup {
	executable, err := os.Executable()
	if err != nil {
		executable = ""
	}
	options := h.Options()
	options.Dir, options.Log = dir, nil // what is wrong is a finding
	return &doctor.Checkup{
		Agents: agents, Getenv: h.Getenv, Executable: executable, Version: h.Version, Dir: dir, Config: options, Now: time.Now(), Channels: h.examinedChannels(),
	}
}

// environ is what calls and channels find, KEY=VALUE, as far as this process knows.
func (h *Home) environ() []string {
	if h.Environ == nil {
		return os.Environ()
	}
	return h.Environ()
}

// examinedChannels are the channels of the configuration, for doctor.
func (h *Home) examinedChannels() (all []doctor.Channel) {
	file := config.ApprovalsFile{Getenv: h.Getenv, Managed: h.Managed}
	read, _, err := file.Read()
	if err != nil {
		return nil // the configuration's own findings say it
	}
	minted, unread := h.Minted()
	for _, c := range read.Channels {
		one := doctor.Channel{Name: c.Name, Leads: Leads(c), Counts: unread == nil && minted.Counts(c), Refused: notify.Refused}
		channel, err := h.Channel(c, h.environ(), time.Now())
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

// Leads says where a channel leads. What anybody could use who knows it is a secret: of
// topics without a token the beginning is shown, and of a service its host.
func Leads(c config.ApprovalChannel) string {
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
