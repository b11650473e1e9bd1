package bus_test

import (
	"context"
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

func (c *counted) Ingest(context.Context, relay.Source, uint64, [][]byte) error {
	c.ingested <- struct{}{}
	return nil
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
