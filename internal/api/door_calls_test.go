package api

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"

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
		t.Errorf("%d requests are under way still, %d of them at the doors", host.working, len(d.firing))
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
