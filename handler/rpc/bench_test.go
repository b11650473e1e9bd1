package rpc

import (
	"context"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// asker makes a handler whose server blocks everything.
func asker(b *testing.B, address string, streamed bool) *Handler {
	b.Helper()
	s := grpc.NewServer(grpc.StreamInterceptor(func(srv any, rpc grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		if !streamed {
			return status.Error(codes.Unimplemented, "there is none")
		}
		return next(srv, rpc)
	}))
	(&Server{Handler: hook.Static(hook.Block("never"))}).Register(s)
	l := listen(b, address)
	run(b, l, s)
	if !strings.HasPrefix(address, unix) {
		address = "dns:///" + l.Addr().String()
	}
	return newHandler(b, Config{Target: address})
}

// roundTrips is one event of 2 KiB after the other, with the encoding of the event
// and the reading of the decision on both sides. The median is reported.
func roundTrips(b *testing.B, address func() string) {
	for name, streamed := range map[string]bool{"stream": true, "handle": false} {
		b.Run(name, func(b *testing.B) {
			h := asker(b, address(), streamed)
			text := strings.Repeat("x", 2<<10)
			ask := func() error { _, err := h.Handle(context.Background(), bash(text)); return err }
			if err := ask(); err != nil { // it connects at its first event
				b.Fatal(err)
			}
			hooktest.Median(b, ask)
		})
	}
}

func BenchmarkUnix(b *testing.B) { roundTrips(b, func() string { return place(b) }) }

func BenchmarkLoopback(b *testing.B) { roundTrips(b, func() string { return "127.0.0.1:0" }) }

// BenchmarkConcurrent is a thousand events at once, of 2 KiB each.
func BenchmarkConcurrent(b *testing.B) {
	for name, streamed := range map[string]bool{"stream": true, "handle": false} {
		b.Run(name, func(b *testing.B) {
			h := asker(b, place(b), streamed)
			text := strings.Repeat("x", 2<<10)
			for b.Loop() {
				var wg sync.WaitGroup
				for range 1000 {
					wg.Go(func() {
						if _, err := h.Handle(context.Background(), bash(text)); err != nil {
							b.Error(err)
						}
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/event")
		})
	}
}
