package rpc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// dialed is a plain client of a server.
func dialed(t *testing.T, target string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // nothing is lost
	return conn
}

// TestTheDeadlineReachesTheServer over both, and so does the end of the event.
func TestTheDeadlineReachesTheServer(t *testing.T) {
	target := place(t)
	serving(t, target, &Server{Handler: hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		deadline, ok := ctx.Deadline()
		if left := time.Until(deadline); !ok || left < 30*time.Minute || left > time.Hour {
			return hook.Decision{}, fmt.Errorf("it has %v, %v", left, ok)
		}
		return hook.Block("in time"), nil
	})})
	h := newHandler(t, Config{Target: target})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, text := range []string{"ls", strings.Repeat("x", largeEvent)} {
		if d, err := h.Handle(ctx, bash(text)); err != nil || d.Reason != "in time" {
			t.Errorf(`got %q, %v, want err == nil and d.Reason == "in time"`, d.Reason, err)
		}
		_, err := h.Handle(t.Context(), bash(text))
		if err == nil || !strings.Contains(err.Error(), "false") {
			t.Errorf("an event without a deadline: %v", err)
		}
	}
}

// TestEventsArriveWhole: with id, time, envelope, fields of an unknown event, and the hook's id.
func TestEventsArriveWhole(t *testing.T) {
	target := place(t)
	seen := make(chan hook.AnyEvent, 1)
	record := hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		seen <- ev
		return hook.Continue(), nil
	})
	serving(t, target, &Server{Handlers: map[string]hook.Handler{"record": record}})
	h := newHandler(t, Config{Target: target, Hook: "record", EventNames: map[string]string{"PreToolUse": "BeforeTool"}})
	deployed, err := hook.Custom("Deployed", hook.May{}).New(hook.Envelope{Agent: "a"}, map[string]any{"to": "production"})
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range []hook.AnyEvent{bash("ls"), deployed} {
		if _, err := h.Handle(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		got := <-seen
		switch {
		case got.ID() != ev.ID() || !got.Time().Equal(ev.Time()):
			t.Errorf("%v %v %s %+v", got.ID(), got.Time(), got.Info().Name, got.Head())
		case got.Info().Name != ev.Info().Name:
			t.Errorf("got.Info().Name: got %v, want %v", got.Info().Name, ev.Info().Name)
		case got.Head().Session != ev.Head().Session:
			t.Errorf("%v %v %s %+v", got.ID(), got.Time(), got.Info().Name, got.Head())
		}
	}
	fails(t, newHandler(t, Config{Target: target, Hook: "other"}), bash("ls"), `there is no hook "other" here`)
}

// TestAPanicHurtsOneEvent and is logged with its place.
func TestAPanicHurtsOneEvent(t *testing.T) {
	target := place(t)
	var logged atomic.Value
	serving(t, target, &Server{
		Log: logline.New(func(line string) { logged.Store(line) }),
		Handler: Typed(func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			if ev.Payload.Text("command") == "panic" {
				panic("out of rules")
			}
			return hook.Block("still here"), nil
		}),
	})
	h := newHandler(t, Config{Target: target})
	fails(t, h, bash("panic"), "the hook panicked: out of rules")
	if line, _ := logged.Load().(string); !strings.Contains(line, "out of rules") {
		t.Errorf("the log has %q", line)
	}
	if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "still here" {
		t.Errorf(`got %q, %v, want err == nil and d.Reason == "still here"`, d.Reason, err)
	}
	if d, err := h.Handle(t.Context(), hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})); err != nil || d.Action != hook.ActionContinue {
		t.Errorf("an event of another type: %v, %v", d.Action, err)
	}
}

// TestNoMoreThanConcurrencyAtOnce, over both together; those who wait can be cancelled.
func TestNoMoreThanConcurrencyAtOnce(t *testing.T) {
	target := place(t)
	var now, most atomic.Int32
	began, release := make(chan struct{}, 100), make(chan struct{})
	serving(t, target, &Server{Concurrency: 3, Handler: hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		began <- struct{}{}
		<-release
		return hook.Block("at last"), nil
	})})
	h := newHandler(t, Config{Target: target})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			text := "ls"
			if i%4 == 0 {
				text = strings.Repeat("x", largeEvent)
			}
			if d, err := h.Handle(t.Context(), bash(text)); err != nil || d.Reason != "at last" {
				t.Errorf(`got %q, %v, want err == nil and d.Reason == "at last"`, d.Reason, err)
			}
		})
	}
	for range 3 {
		<-began
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Handle(ctx, bash("ls")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that waits: %v", err)
	}
	close(release)
	wg.Wait()
	if n := most.Load(); n != 3 {
		t.Errorf("%d at once", n)
	}
}

// TestServedStreams is the service seen by a client that is not ours.
func TestServedStreams(t *testing.T) {
	target := place(t)
	cancelled := make(chan struct{}, 1)
	serving(t, target, &Server{Handler: Typed(func(ctx context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		if ev.Payload.ToolName == "Wait" {
			<-ctx.Done()
			cancelled <- struct{}{}
			return hook.Decision{}, ctx.Err()
		}
		return hook.Answer(map[string]any{"n": 1}), nil
	})})
	rpc, err := hookwayv1.NewHooksClient(dialed(t, target)).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	send := func(r *hookwayv1.StreamRequest) {
		t.Helper()
		if err := rpc.Send(r); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() *hookwayv1.StreamResponse {
		t.Helper()
		r, err := rpc.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ask := func(id uint64, json string, timeout *durationpb.Duration) {
		send(&hookwayv1.StreamRequest{Id: id, Timeout: timeout, Kind: &hookwayv1.StreamRequest_Handle{Handle: &hookwayv1.HandleRequest{Event: &hookwayv1.Event{Name: "PreToolUse", Json: []byte(json)}}}})
	}
	ask(1, `{"hook_event_name":"PreToolUse","tool_name":"Wait"}`, nil)
	ask(1, `{"hook_event_name":"PreToolUse","tool_name":"Wait"}`, nil)
	if r := receive(); r.GetId() != 1 || !strings.Contains(r.GetFailure().GetMessage(), "request 1 is not answered yet") {
		t.Errorf("the same id twice: %v", r)
	}
	ask(9, `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`, nil)
	if r := receive(); r.GetId() != 9 || r.GetDecision().GetAction() != hookwayv1.Action_ACTION_ANSWER || string(r.GetDecision().GetResult()) != `{"n":1}` {
		t.Errorf("an answer: %v", r)
	}
	send(&hookwayv1.StreamRequest{Id: 1, Kind: &hookwayv1.StreamRequest_Cancel{Cancel: &hookwayv1.Cancel{}}})
	<-cancelled
	send(&hookwayv1.StreamRequest{Id: 77, Kind: &hookwayv1.StreamRequest_Cancel{Cancel: &hookwayv1.Cancel{}}})
	ask(2, `{"hook_event_name":"PreToolUse","tool_name":"Wait"}`, durationpb.New(time.Millisecond)) // it is not answered
	for id, c := range map[uint64]struct{ json, want string }{3: {`{`, "the event cannot be read"}, 4: {"", "no event"}, 5: {`{"hook_event_name":"PreToolUse","tool_name":7}`, "tool_name"}} {
		ask(id, c.json, nil)
		if r := receive(); r.GetId() != id || !strings.Contains(r.GetFailure().GetMessage(), c.want) {
			t.Errorf("%s: got %v, want r.GetId() == id and strings.Contains(r.GetFailure().GetMessage(), c.want)", c.json, r)
		}
	}
	send(&hookwayv1.StreamRequest{Id: 6})
	if r := receive(); r.GetId() != 6 || !strings.Contains(r.GetFailure().GetMessage(), "of a kind that is unknown") {
		t.Errorf("no kind: %v", r)
	}
	if err := rpc.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if r, err := rpc.Recv(); err == nil {
		t.Errorf("at the end: %v", r)
	}
}

func TestHealth(t *testing.T) {
	target := place(t)
	serving(t, target, &Server{Handler: hook.Static(hook.Continue())})
	for _, name := range []string{"", "hookway.v1.Hooks"} {
		r, err := grpc_health_v1.NewHealthClient(dialed(t, target)).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: name})
		if err != nil || r.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("%q: got %v, %v, want err == nil and r.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING", name, r, err)
		}
	}
}

func TestSockets(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not of Windows")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	l := listen(t, "unix://"+path)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 || l.Addr().String() != path {
		t.Errorf("got %v, %v, %v, want err == nil and info.Mode() == fs.ModeSocket | 0o600 and l.Addr().String() == path", info.Mode(), l.Addr(), err)
	}
	if _, err := Listen("unix://" + path); err == nil || !strings.Contains(err.Error(), "another server listens there") {
		t.Errorf("twice: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	left, err := net.ListenUnix(unix, &net.UnixAddr{Name: path, Net: unix})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	if err := listen(t, "unix:"+path).Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"unix:" + path: "is not a socket", "unix:": "names no socket", "vsock://3:1": "with a port and no context id", "vsock://:x": "with a port",
		"https://x": "write unix:///run", "unix://" + filepath.Join(dir, strings.Repeat("x", 300), "s"): "",
	} {
		if l, err := Listen(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want err != nil and strings.Contains(err.Error(), want)", address, l, err)
		}
	}
}
