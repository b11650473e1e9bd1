//go:build unix

package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// engineOf is a client of a house's daemon.
func engineOf(t testing.TB, h *house) hookwayv1.EngineClient {
	t.Helper()
	c, err := grpc.NewClient("unix://"+h.socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxSize+1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return hookwayv1.NewEngineClient(c)
}

func tool(h *house, session, command string) *hookwayv1.FireRequest {
	return &hookwayv1.FireRequest{Event: &hookwayv1.Event{
		Name: "PreToolUse", Cwd: h.dir, SessionId: session, Json: fmt.Appendf(nil, `{"tool_name":"Bash","tool_input":{"command":%q}}`, command),
	}}
}

// TestAThousandEventsReachTheDaemonAtOnce: each is judged by a rule of the workspace
// and by a program that attached a hook, and is put on record.
func TestAThousandEventsReachTheDaemonAtOnce(t *testing.T) {
	h := newHouse(t, "hooks:\n  - {id: note, on: PreToolUse, inject: noted}\n", plan{})
	engine := engineOf(t, h)
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	stream, err := engine.Attach(ctx)
	if err != nil {
		t.Fatal(err)
	}
	spec := &hookwayv1.HookSpec{Id: "mine", On: []string{"PreToolUse"}, Lane: "guard"}
	if err := stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{Hook: spec, Cwd: h.dir}}}); err != nil {
		t.Fatal(err)
	}
	if m, err := stream.Recv(); err != nil || m.GetAttached() != "mine" {
		t.Fatalf("attaching gave %v, %v", m, err)
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for {
			m, err := stream.Recv()
			if err != nil {
				return
			}
			ask := m.GetAsk()
			_ = stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: &hookwayv1.StreamResponse{
				Id:   ask.GetId(),
				Kind: &hookwayv1.StreamResponse_Decision{Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: ask.GetHandle().GetEvent().GetSessionId()}},
			}}})
		}
	}()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	command := "echo " + strings.Repeat("x", 2000)
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			session := fmt.Sprintf("s-%d", i)
			out, err := engine.Fire(ctx, tool(h, session, command))
			if err != nil {
				t.Errorf("event %d gave %v, %v", i, out, err)
			} else if got, want := fmt.Sprint([]any{out.GetReason(), out.GetBy(), out.GetInject()}), fmt.Sprint([]any{session, "api:mine", "noted"}); got != want {
				t.Errorf("event %d gave %v, %v: got %s, want %s", i, out, err, got, want)
			}
		})
	}
	all.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100<<20 {
		t.Errorf("1000 events left %d MiB", grown>>20)
	}
	cancel()
	<-answered
}

// TestFoldersOfOneWorkspaceAreOnePlace: a hook that is registered from one of them is
// replaced, and taken away, from another.
func TestFoldersOfOneWorkspaceAreOnePlace(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	engine := engineOf(t, h)
	sub := filepath.Join(h.dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	register := func(cwd string) bool {
		r, err := engine.Register(t.Context(), &hookwayv1.RegisterRequest{
			Hook: &hookwayv1.HookSpec{Id: "mine", On: []string{"PreToolUse"}}, Cwd: cwd,
			Handler: &hookwayv1.RegisterRequest_Decision{Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.GetReplaced()
	}
	unregister := func(cwd string) bool {
		r, err := engine.Unregister(t.Context(), &hookwayv1.UnregisterRequest{Id: "mine", Cwd: cwd})
		if err != nil {
			t.Fatal(err)
		}
		return r.GetFound()
	}
	if register(h.dir) || !register(sub) {
		t.Error("it is not replaced from the folder below")
	}
	if !unregister(h.dir) || unregister(sub) {
		t.Error("it is not taken away from the folder above, once")
	}
	if out, err := engine.Fire(t.Context(), tool(h, "s", "ls")); err != nil || out.GetAction() != hookwayv1.Action_ACTION_CONTINUE {
		t.Errorf("after its end: %v, %v", out, err)
	}
	register(sub)
	if err := os.Remove(sub); err != nil {
		t.Fatal(err)
	}
	if !unregister(sub) || h.judge.Registered() != 0 {
		t.Errorf("from a folder that is gone: %d are left", h.judge.Registered())
	}
}

// TestLargeEventsTakeTurns: their sum would be too much.
func TestLargeEventsTakeTurns(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	engine := engineOf(t, h)
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	command := strings.Repeat("x", 3<<20)
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			if out, err := engine.Fire(ctx, tool(h, "s", command)); err != nil || len(out.GetPayload()) < len(command) {
				t.Errorf("it gave %d bytes, %v", len(out.GetPayload()), err)
			}
		})
	}
	all.Wait()
}

// TestAWatchOverGRPCTellsOfHooks: with hooks, or where one of their events is named.
func TestAWatchOverGRPCTellsOfHooks(t *testing.T) {
	h := newHouse(t, `hooks:
  - {id: rule, description: A <plain> rule, on: PreToolUse, match: {tool: Bash}, block: "no"}
  - {id: broken, on: PreToolUse, priority: 1, command: "exit 7"}
`, plan{listen: []string{"127.0.0.1:0"}})
	c, err := grpc.NewClient(h.listeners[0].Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+h.token), patient)
	defer cancel()
	engine := hookwayv1.NewEngineClient(c)
	watch := func(r *hookwayv1.WatchRequest) func() *hookwayv1.WatchResponse {
		seen, err := engine.Watch(ctx, r)
		if err == nil {
			_, err = seen.Header() // from now on, nothing is missed
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() *hookwayv1.WatchResponse {
			m, err := seen.Recv()
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	all, plain, failed := watch(&hookwayv1.WatchRequest{Hooks: true}), watch(&hookwayv1.WatchRequest{}), watch(&hookwayv1.WatchRequest{Event: "hook:error"})
	if _, err := engine.Fire(ctx, tool(h, "s-1", "ls")); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for said["record"] == "" || said["hook:completed rule"] == "" {
		m := all()
		if len(m.GetJson()) > 0 {
			said["record"] = string(m.GetJson())
			continue
		}
		var one struct{ Type, HookID string }
		if err := json.Unmarshal(m.GetHook(), &one); err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		said[one.Type+" "+one.HookID] = string(m.GetHook())
	}
	for _, want := range []string{"hook:registered rule", "hook:registered broken", "hook:started broken", "hook:error broken", "hook:started rule"} {
		if said[want] == "" {
			t.Errorf("%s is missing of %v", want, said)
		}
	}
	for _, want := range []string{`"hookName":"A <plain> rule"`, `"action":"block"`, `"sessionId":"s-1"`} {
		if done := said["hook:completed rule"]; !strings.Contains(done, want) {
			t.Errorf("%s is missing of %s", want, done)
		}
	}
	if m := plain(); len(m.GetHook()) > 0 || !strings.Contains(string(m.GetJson()), `"session":"s-1"`) {
		t.Errorf("a watch of records gave %v", m)
	}
	if m := failed(); len(m.GetJson()) > 0 || !strings.Contains(string(m.GetHook()), `"hookId":"broken"`) {
		t.Errorf("a watch of failures gave %v", m)
	}
}
