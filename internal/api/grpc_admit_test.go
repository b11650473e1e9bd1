package api

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/daemon"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// ending is a daemon whose requests end when its context does.
type ending struct {
	daemon.Host
	ctx     context.Context
	working int
}

func (e *ending) Context() context.Context { return e.ctx }
func (e *ending) Work() bool               { e.working++; return true }
func (e *ending) Done(int)                 { e.working-- }

func TestADaemonThatEndsWaitsForNoCallForEver(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	host, b := &ending{ctx: ctx}, new(bench)
	d := New(Config{Engine: b})
	d.host = host
	began := make(chan struct{})
	h := hook.New("waits", hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		close(began)
		<-ctx.Done()
		return hook.Decision{}, ctx.Err()
	}), hook.For("PreToolUse"), hook.Timeout(hook.MaxTimeout))
	if err := b.Add(h); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-began
		stop()
	}()
	_, err := d.service.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")})
	wantStatus(t, err, codes.Unavailable, "hookway is ending")
	if host.working != 0 || len(d.firing) != 0 {
		t.Errorf("%d requests are under way still, %d of them counted", host.working, len(d.firing))
	}
}

func TestCallsAreBoundedAsRequestsAre(t *testing.T) {
	host, b := &ending{ctx: t.Context()}, new(bench)
	d := New(Config{Engine: b})
	d.host = host
	for range maxFiring {
		d.firing <- struct{}{}
	}
	_, err := d.service.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")})
	wantStatus(t, err, codes.ResourceExhausted, "1024 requests are under way")
	<-d.firing
	if _, err := d.service.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")}); err != nil {
		t.Error(err)
	}
}

// counted counts what comes in at a listener.
type counted struct {
	net.Listener
	read atomic.Int64
}

func (c *counted) Accept() (net.Conn, error) {
	nc, err := c.Listener.Accept()
	return &countedConn{nc, c}, err
}

type countedConn struct {
	net.Conn
	by *counted
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.by.read.Add(int64(n))
	return n, err
}

// TestAMessageOfSomebodyWithoutTheTokenIsNotRead sends events of 8 MiB each.
func TestAMessageOfSomebodyWithoutTheTokenIsNotRead(t *testing.T) {
	noGoroutinesLeft(t)
	l := &counted{Listener: socket(t)}
	serve(t, NewService(new(bench), ServiceOptions{Admit: func(nc net.Conn, _ metadata.MD) error {
		if nc == nil {
			t.Error("it is not known where the call came in")
		}
		return errors.New("no token")
	}}), l)
	client := hookwayv1.NewEngineClient(dialTo(t, l.Addr()))
	event := &hookwayv1.Event{Name: "PreToolUse", Json: make([]byte, 8<<20)}
	for range 4 {
		_, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: event})
		wantStatus(t, err, codes.Unauthenticated, "no token")
	}
	if n := l.read.Load(); n > 4<<20 {
		t.Errorf("%d KiB were read of 4 events of 8 MiB", n>>10)
	}
}

// TestAConnectionWithoutCallsIsClosed: there is room for so many of them.
func TestAConnectionWithoutCallsIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newInbox()
		serve(t, NewService(new(bench), ServiceOptions{}), l)
		c, err := grpc.NewClient("passthrough:///pipe", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
				mine, theirs := net.Pipe()
				l.put(theirs)
				return mine, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := hookwayv1.NewEngineClient(c).Fire(t.Context(), &hookwayv1.FireRequest{Event: bash("ls")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(quietTime - time.Second)
		synctest.Wait()
		if got := c.GetState(); got != connectivity.Ready {
			t.Errorf("before its time, it is %v", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := c.GetState(); got != connectivity.Idle {
			t.Errorf("after its time, it is %v", got)
		}
	})
}
