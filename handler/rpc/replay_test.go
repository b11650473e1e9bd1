package rpc

import (
	"context"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// TestAReplayIsTold: a server can tell an event of the past from one that happens.
func TestAReplayIsTold(t *testing.T) {
	target := place(t)
	s := grpc.NewServer()
	(&Server{Handler: hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		return hook.Block("replay: " + strings.Join(md.Get("Hookway-Replay"), ",")), nil
	})}).Register(s)
	run(t, listen(t, target), s)
	for _, c := range []struct{ variable, want string }{{"HOOKWAY_REPLAY=1", "1"}, {"HOOKWAY_REPLAY=0", ""}, {"HOOKWAY_REPLAY=1", "1"}} {
		h := newHandler(t, Config{Target: target, Environ: func(context.Context) []string { return []string{c.variable} }})
		if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "replay: "+c.want {
			t.Errorf("with %s: %q, %v", c.variable, d.Reason, err)
		}
	}
}
