package rpc

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/eventually"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestAThousandEventsAtOnce: no error, each its own answer, and little memory.
func TestAThousandEventsAtOnce(t *testing.T) {
	echo := Typed(func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		return hook.Block(ev.Payload.Text("command")[:8]), nil
	})
	const size = 2 << 10
	for name, streamed := range map[string]bool{"on a stream": true, "with calls": false} {
		t.Run(name, func(t *testing.T) {
			target := place(t)
			s := grpc.NewServer(grpc.StreamInterceptor(func(srv any, rpc grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
				if !streamed {
					return status.Error(codes.Unimplemented, "there is none")
				}
				return next(srv, rpc)
			}))
			(&Server{Handler: echo}).Register(s)
			run(t, listen(t, target), s)
			h := newHandler(t, Config{Target: target})
			events := make([]hook.AnyEvent, 1000)
			for i := range events {
				events[i] = bash(fmt.Sprintf("%08d", i) + strings.Repeat("x", size))
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var wg sync.WaitGroup
			for i, ev := range events {
				wg.Go(func() {
					if d, err := h.Handle(t.Context(), ev); err != nil || d.Reason != fmt.Sprintf("%08d", i) {
						t.Errorf(`%d: got %q, %v, want err == nil and d.Reason == fmt.Sprintf("%%08d", i)`, i, d.Reason, err)
					}
				})
			}
			wg.Wait()
			runtime.ReadMemStats(&after)
			grown := (int64(after.HeapSys) - int64(before.HeapSys)) >> 20
			t.Logf("the heap grew by %d MiB, for events of %d MiB in all", grown, 1000*size>>20)
			if grown > 256 { // far more than a busy machine needs
				t.Errorf("the heap grew by %d MiB", grown)
			}
			if n := len(h.slots); n != 0 {
				t.Errorf("%d places are still taken", n)
			}
		})
	}
}

// TestEventsWaitForAPlace, and give up with their time.
func TestEventsWaitForAPlace(t *testing.T) {
	target := place(t)
	serving(t, target, &Server{Handler: hook.Static(hook.Continue())})
	h := newHandler(t, Config{Target: target})
	for range maxInFlight {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := h.Handle(ctx, bash("ls"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want errors.Is(err, context.DeadlineExceeded)", err)
	}
	isClear(t, err, "256 events are waiting for it already")
	for range maxInFlight {
		<-h.slots
	}
}

// TestNothingIsLeftBehind: of a handler and a server that were busy, and are closed.
func TestNothingIsLeftBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("busy", func(t *testing.T) {
		target := place(t)
		serving(t, target, &Server{Handler: hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			<-ctx.Done()
			return hook.Decision{}, ctx.Err()
		})})
		h := newHandler(t, Config{Target: target})
		var wg sync.WaitGroup
		for range 300 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				if _, err := h.Handle(ctx, bash("ls")); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want errors.Is(err, context.DeadlineExceeded)", err)
				}
			})
		}
		wg.Wait()
	})
	eventually.Goroutines(t, before)
}

// TestAnIdleStreamIsClosed after its time, and the next event opens another.
func TestAnIdleStreamIsClosed(t *testing.T) {
	target := place(t)
	ended := make(chan struct{}, 10)
	s := grpc.NewServer(grpc.StreamInterceptor(func(srv any, rpc grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		defer func() { ended <- struct{}{} }()
		return next(srv, rpc)
	}))
	(&Server{Handler: hook.Static(hook.Block("again"))}).Register(s)
	run(t, listen(t, target), s)
	h := newHandler(t, Config{Target: target})
	h.idle = time.Millisecond
	for range 3 {
		if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "again" {
			t.Fatalf(`got %q, %v, want err == nil and d.Reason == "again"`, d.Reason, err)
		}
		<-ended
	}
}
