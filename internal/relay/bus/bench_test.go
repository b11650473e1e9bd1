package bus_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// counted is an outbox of one row at a time, and tells when it is published and
// when it is taken in.
type counted struct {
	*box
	next      chan relay.Parcel
	published chan struct{}
	ingested  chan struct{}
}

func (c *counted) OutgoingTo(context.Context, string, int) ([]relay.Parcel, error) {
	select {
	case p := <-c.next:
		c.next <- p // until it is published
		return []relay.Parcel{p}, nil
	default:
		return nil, nil
	}
}

func (c *counted) Targets(ctx context.Context, passOver func(string) bool) ([]string, error) {
	for {
		select {
		case p := <-c.next:
			c.next <- p
			if !passOver(p.Machine) {
				return []string{p.Machine}, nil
			}
			select {
			case <-c.poked:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *counted) Published(context.Context, []int64) error {
	<-c.next
	c.published <- struct{}{}
	return nil
}

func (c *counted) Ingest(context.Context, relay.Source, uint64, [][]byte) ([]string, error) {
	c.ingested <- struct{}{}
	return nil, nil
}

// BenchmarkPublish is from the outbox to the word of the embedded server that the
// message is on disk.
func BenchmarkPublish(b *testing.B) {
	c := &counted{box: newBox("m1"), next: make(chan relay.Parcel, 1), published: make(chan struct{}, 1), ingested: make(chan struct{}, 1<<20)}
	running, err := bus.Start(b.Context(), c, bus.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer stop(b, running)
	data, n := []byte(strings.Repeat("x", 500)), 0
	hooktest.Median(b, func() error {
		n++
		c.next <- relay.Parcel{Seq: int64(n), ID: fmt.Sprint(n), Machine: "m1", Data: data}
		<-c.published
		return nil
	})
}

// BenchmarkMany is how many messages pass the bus in a second when many wait.
func BenchmarkMany(b *testing.B) {
	all, n := newBox("m1"), 0
	running, err := bus.Start(b.Context(), all, bus.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer stop(b, running)
	const many = 1000
	for b.Loop() {
		n++
		all.send("m1", ids(fmt.Sprint("m", n), many)...)
		all.until(b, "all of it", func() bool { return len(all.got) == n*many })
		all.change(func() { all.rows = all.rows[:len(all.rows):len(all.rows)] })
	}
	b.ReportMetric(float64(n*many)/b.Elapsed().Seconds(), "msg/s")
}

// BenchmarkStart is until the server is ready, with nothing in it.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		running, err := bus.Start(b.Context(), newBox("m1"), bus.Config{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		stop(b, running)
		b.StartTimer()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-sys")
}

// carried is a real store with its bus, and somebody who takes what comes.
type carried struct {
	store *relay.Store
	bob   *relay.Seat
	held  []relay.Taken
}

func newCarried(b *testing.B) *carried {
	b.Helper()
	c := &carried{}
	var err error
	if c.store, err = relay.Open(b.Context(), b.TempDir(), relay.Options{Machine: "m1", Limits: relay.Limits{Inbox: -1}}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.store.Close() })
	if c.bob, err = c.store.Join(b.Context(), relay.Presence{Session: "s-Bob", Name: "Bob", Kind: "wrapped"}); err != nil {
		b.Fatal(err)
	}
	start(b, c.store, bus.Config{})
	if err := errors.Join(c.send(b), c.take(b, 1), c.settle(b)); err != nil {
		b.Fatal(err) // the first makes the stream
	}
	return c
}

func (c *carried) send(b *testing.B) error {
	_, err := c.store.Send(b.Context(), relay.Message{From: "Alice", To: "Bob", Content: "the tests pass, please review the branch"})
	return err
}

// take waits until so many have come.
func (c *carried) take(b *testing.B, n int) error {
	for len(c.held) < n {
		if err := c.bob.Wait(b.Context()); err != nil {
			return err
		}
		got, err := c.bob.Take(b.Context(), 1000)
		if err != nil {
			return err
		}
		c.held = append(c.held, got...)
	}
	return nil
}

// settle ends what was taken.
func (c *carried) settle(b *testing.B) error {
	for _, m := range c.held {
		if err := c.bob.Suppress(b.Context(), m.Message.ID, "read"); err != nil {
			return err
		}
	}
	c.held = nil
	return nil
}

// BenchmarkSendToTake is from Send to the receiver's Take, through the outbox, the
// stream on disk and the ledger. What the receiver does after that is in one of
// fifty only, so it is not in the median.
func BenchmarkSendToTake(b *testing.B) {
	c := newCarried(b)
	hooktest.Median(b, func() error {
		if err := c.send(b); err != nil {
			return err
		}
		if err := c.take(b, len(c.held)+1); err != nil || len(c.held) < 50 {
			return err
		}
		return c.settle(b)
	})
}

// BenchmarkSendManyToTake is a thousand messages of one sender, each accepted before
// the next is sent, until the last is there to be taken.
func BenchmarkSendManyToTake(b *testing.B) {
	c := newCarried(b)
	const many = 1000
	n := 0
	for b.Loop() {
		n += many
		for range many {
			if err := c.send(b); err != nil {
				b.Fatal(err)
			}
		}
		if err := c.take(b, many); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := c.settle(b); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "msg/s")
}
