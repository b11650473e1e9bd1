package doctor

import (
	"context"
	"sync"
	"time"
)

// Channel is a way by which asks reach a person.
type Channel struct {
	Name   string
	Leads  string // where, for people
	Counts bool   // its owner has minted it

	// Check says what is wrong with how it is set up, and Test sends a card that asks
	// nothing.
	Check, Test func(context.Context) error

	// Refused reports whether an error stays until somebody mends something.
	Refused func(error) bool
}

// channelTime bounds a look at one.
const channelTime = 5 * time.Second

// channels looks at all at once: each may take its time.
func (c *Checkup) channels(ctx context.Context) Section {
	s := Section{Name: "approvals", Title: "Channels of approvals"}
	c.eachChannel(ctx, func(ch *Channel, ctx context.Context) error { return ch.Check(ctx) }, func(ch *Channel, err error) {
		switch {
		case !ch.Counts:
			s.warn("hookway approvals mint "+ch.Name+", in a terminal of your own", "%s: no asks are sent: it is new, or leads elsewhere than before", ch.Name)
		case err != nil && ch.Refused(err):
			s.fail("mend it in hookway.yaml, or on the server; until then no answer comes from there", "%s: %v", ch.Name, err)
		case err != nil:
			s.warn("the daemon tries again by itself", "%s: it cannot be reached: %v", ch.Name, err)
		default:
			s.ok("%s: %s", ch.Name, ch.Leads)
		}
	})
	return s
}

// TestChannels sends a card over each channel.
func (c *Checkup) TestChannels(ctx context.Context) Section {
	s := Section{Name: "cards", Title: "Test cards"}
	c.eachChannel(ctx, func(ch *Channel, ctx context.Context) error { return ch.Test(ctx) }, func(ch *Channel, err error) {
		switch {
		case !ch.Counts:
			s.note("%s: none was sent: it is not minted", ch.Name)
		case err != nil:
			s.fail("mend it in hookway.yaml, or on the server", "%s: the card was not taken: %v", ch.Name, err)
		default:
			s.ok("%s: a card was sent; look whether it arrives", ch.Name)
		}
	})
	return s
}

// eachChannel does something with all channels that count, and tells the results in order.
func (c *Checkup) eachChannel(ctx context.Context, do func(*Channel, context.Context) error, tell func(*Channel, error)) {
	ctx, cancel := context.WithTimeout(ctx, channelTime)
	defer cancel()
	errs := make([]error, len(c.Channels))
	var work sync.WaitGroup
	for i := range c.Channels {
		if c.Channels[i].Counts {
			work.Go(func() { errs[i] = do(&c.Channels[i], ctx) })
		}
	}
	work.Wait()
	for i := range c.Channels {
		tell(&c.Channels[i], errs[i])
	}
}
