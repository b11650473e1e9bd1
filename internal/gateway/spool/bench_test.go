package spool_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/relay"
)

// BenchmarkRelayWithWebhook sends messages that are kept on the disk, each with its
// MessageSent: without a webhook, with one that is sent to from memory, and with one that
// is sent to by way of the spool, there and away. What is sent is in "sent/op".
func BenchmarkRelayWithWebhook(b *testing.B) {
	var received atomic.Int64
	there := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received.Add(1) }))
	defer there.Close()
	away := httptest.NewServer(nil)
	away.Close()
	for _, c := range []struct {
		name, url string
		kept      bool
	}{{"none", "", false}, {"memory", there.URL, false}, {"spool", there.URL, true}, {"spool-away", away.URL, true}} {
		b.Run(c.name, func(b *testing.B) {
			s := spool.New(b.TempDir(), nil)
			received.Store(0)
			e := new(hook.Engine)
			var end func() error
			if c.url != "" {
				server, err := web.New(web.Config{URL: c.url, AllowPrivate: true})
				if err != nil {
					b.Fatal(err)
				}
				var h hook.Handler = server
				end = server.Close
				if c.kept {
					r := s.Receiver(spool.Webhook{Place: "/config", ID: "ci"}, spool.Policy{}, server)
					h, end = r, r.Close
				}
				if err := e.Add(hook.New("ci", h, hook.For("MessageSent"), hook.As(hook.Observe), hook.Queue(256))); err != nil {
					b.Fatal(err)
				}
			}
			burst(b, e)
			b.StopTimer()
			left := func() (n int) {
				all, err := s.Status(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				for _, one := range all {
					n += one.Waiting
				}
				return n
			}
			for deadline := time.Now().Add(time.Minute); c.kept && c.name == "spool" && (received.Load() == 0 || left() > 0) && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			if err := e.Close(context.Background()); err != nil {
				b.Error(err)
			}
			if end != nil {
				if err := end(); err != nil {
					b.Error(err)
				}
			}
			if err := s.Close(); err != nil {
				b.Error(err)
			}
			b.ReportMetric(float64(received.Load())/float64(b.N), "sent/op")
			b.ReportMetric(float64(left())/float64(b.N), "kept/op")
		})
	}
}

// burst sends b.N messages.
func burst(b *testing.B, e *hook.Engine) {
	store, err := relay.Open(b.Context(), b.TempDir(), relay.Options{Machine: "m", Limits: relay.Limits{PerMinute: -1, PingPong: -1, Inbox: -1}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	seat, err := store.Join(b.Context(), relay.Presence{Session: "s", Name: "Bob", Kind: "user"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { seat.Close() })
	b.ResetTimer()
	for i := range b.N {
		m := relay.Message{ID: relay.NewID(), From: "Alice", To: "Bob", Content: fmt.Sprintf("message %d of a burst", i)}
		if _, err := store.Send(b.Context(), m); err != nil {
			b.Fatal(err)
		}
		if _, err := hook.Fire(b.Context(), e, hook.MessageSent, nil, hook.Delivery{Message: hook.Message{ID: m.ID, From: m.From, To: m.To, Content: m.Content}, Success: true}); err != nil {
			b.Fatal(err)
		}
	}
}
