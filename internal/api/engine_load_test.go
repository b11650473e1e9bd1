package api

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mdlayher/vsock"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/judge"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// event2K is a tool call of 2 KiB.
func event2K() *hookwayv1.Event { return bash("echo " + strings.Repeat("x", 2<<10-80)) }

// overEach are the transports that an engine is reached over, each with a client.
func overEach(t *testing.T, each func(t *testing.T, b *bench, client hookwayv1.EngineClient)) {
	for _, network := range []string{"unix", "tcp", "vsock"} {
		t.Run(network, func(t *testing.T) {
			noGoroutinesLeft(t)
			b := new(bench)
			s := NewService(b, ServiceOptions{})
			each(t, b, hookwayv1.NewEngineClient(reach(t, s, network)))
		})
	}
}

// reach serves a service on a network, and gives a connection to it.
func reach(t testing.TB, s *Service, network string) *grpc.ClientConn {
	t.Helper()
	switch network {
	case "unix":
		l := socket(t)
		serve(t, s, l)
		return dialTo(t, l.Addr())
	case "tcp":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		serve(t, s, l)
		return dialTo(t, l.Addr())
	}
	if why := noVsock(); why != "" {
		t.Skip(why)
	}
	l, err := vsock.ListenContextID(1<<32-1, 0, nil) // any address, any port
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*vsock.Addr).Port
	serve(t, s, l)
	c, err := grpc.NewClient("passthrough:///hookway", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return vsock.Dial(vsock.Local, port, nil) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// noVsock says why vsock cannot be tested here; "" is no reason.
var noVsock = sync.OnceValue(func() string {
	l, err := vsock.ListenContextID(1<<32-1, 0, nil)
	if err != nil {
		return fmt.Sprintf("this system has no AF_VSOCK to listen on: %v", err)
	}
	defer l.Close()
	c, err := vsock.Dial(vsock.Local, l.Addr().(*vsock.Addr).Port, nil)
	if err != nil {
		return fmt.Sprintf("this kernel has AF_VSOCK, but no way to itself (vsock_loopback): %v", err)
	}
	c.Close()
	return ""
})

func TestAThousandEventsAtOnce(t *testing.T) {
	overEach(t, func(t *testing.T, b *bench, client hookwayv1.EngineClient) {
		const n = 1000
		all := make(chan struct{})
		var under sync.WaitGroup
		under.Add(n)
		mustAdd(t, b, hook.New("wait", hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			under.Done()
			select { // so that they really are at once
			case <-all:
				return hook.Block(ev.Head().Session), nil
			case <-ctx.Done():
				return hook.Decision{}, ctx.Err()
			}
		}), hook.For("PreToolUse")))
		var before, during runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var calls sync.WaitGroup
		for i := range n {
			calls.Go(func() {
				ev := event2K()
				ev.SessionId = fmt.Sprintf("s-%d", i)
				out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: ev})
				if err != nil || out.GetReason() != ev.GetSessionId() {
					t.Errorf("event %d gave %v, %v", i, out.GetReason(), err)
				}
			})
		}
		under.Wait()
		runtime.GC()
		runtime.ReadMemStats(&during)
		close(all)
		calls.Wait()
		grown := int64(during.HeapAlloc) - int64(before.HeapAlloc)
		t.Logf("%d events of 2 KiB under way take %d KiB, of both ends", n, grown>>10)
		if grown > n*100<<10 {
			t.Errorf("%d events under way take %d MiB", n, grown>>20)
		}
	})
}

func TestAttachingOverEveryTransport(t *testing.T) {
	overEach(t, func(t *testing.T, _ *bench, client hookwayv1.EngineClient) {
		g := attach(t, client)
		g.attached(guardSpec("mine"))
		out := fire(t, client, event2K())
		g.answer(g.next().GetAsk().GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "no"})
		if r := <-out; r.GetReason() != "no" {
			t.Errorf("the outcome is %v", r)
		}
		g.leave()
	})
}

func BenchmarkFire(b *testing.B) {
	for _, network := range []string{"unix", "tcp"} {
		b.Run(network, func(b *testing.B) {
			engine := new(bench)
			mustAdd(b, engine, hook.New("look", hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
				return hook.Decision{}, nil
			}), hook.For("PreToolUse")))
			client := hookwayv1.NewEngineClient(reach(b, NewService(engine, ServiceOptions{}), network))
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			r := &hookwayv1.FireRequest{Event: event2K()}
			hooktest.Median(b, func() error { _, err := client.Fire(ctx, r); return err })
		})
	}
}

// BenchmarkAttached fires an event that a program answers on its stream.
func BenchmarkAttached(b *testing.B) {
	engine := new(bench)
	s := NewService(engine, ServiceOptions{})
	client := hookwayv1.NewEngineClient(reach(b, s, "unix"))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	stream, err := client.Attach(ctx)
	if err != nil {
		b.Fatal(err)
	}
	there := make(chan struct{})
	go func() {
		for {
			m, err := stream.Recv()
			if err != nil {
				return
			}
			if m.GetAttached() != "" {
				close(there)
			} else if stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: &hookwayv1.StreamResponse{
				Id: m.GetAsk().GetId(), Kind: &hookwayv1.StreamResponse_Decision{Decision: &hookwayv1.Decision{}}}}}) != nil {
				return
			}
		}
	}()
	if err := stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{Hook: guardSpec("mine")}}}); err != nil {
		b.Fatal(err)
	}
	<-there
	ev := event2K()
	hooktest.Median(b, func() error {
		_, err := engine.Fire(ctx, judge.Firing{Event: ev.GetName(), Payload: ev.GetJson()})
		return err
	})
	cancel()
}
