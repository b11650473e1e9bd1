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

// counted is an outbox of one row at a time, and tells when it is published.
type counted struct {
	*box
	next      chan relay.Envelope
	published chan struct{}
}

func (c *counted) OutgoingTo(context.Context, string, int) ([]relay.Envelope, error) {
	select {
	case p := <-c.next:
		c.next <- p // until it is published
		return []relay.Envelope{p}, nil
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
			case <-c.notified:
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

// BenchmarkPublish is from the outbox to the word of the embedded server that the
// message is on disk.
func BenchmarkPublish(b *testing.B) {
	c := &counted{box: newBox("m1"), next: make(chan relay.Envelope, 1), published: make(chan struct{}, 1)}
	start(b, c, bus.Config{Leaf: bus.Leaf{Listen: freeAddress(b)}})
	data, n := []byte(strings.Repeat("x", 500)), 0
	hooktest.Median(b, func() error {
		n++
		c.next <- relay.Envelope{Seq: int64(n), ID: fmt.Sprint(n), Machine: "m2", Data: data}
		<-c.published
		return nil
	})
}

// BenchmarkMany is how many messages pass between two machines in a second when many
// wait.
func BenchmarkMany(b *testing.B) {
	m1, m2 := linked(b, bus.Config{})
	n := 0
	const many = 1000
	for b.Loop() {
		n++
		m1.send("m2", ids(fmt.Sprint("m", n), many)...)
		m2.until(b, "all of it", func() bool { return len(m2.got) == n*many })
	}
	b.ReportMetric(float64(n*many)/b.Elapsed().Seconds(), "msg/s")
}

// BenchmarkStart is until the server is ready, with nothing in it.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		running, err := bus.Start(b.Context(), newBox("m1"), bus.Config{Dir: b.TempDir(), Leaf: bus.Leaf{Listen: freeAddress(b)}})
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
