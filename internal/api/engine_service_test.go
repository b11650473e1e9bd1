package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

func mustAdd(t testing.TB, b *bench, h hook.Hook) {
	t.Helper()
	if err := b.Add(h); err != nil {
		t.Fatal(err)
	}
}

func TestFireGivesTheOutcome(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	mustAdd(t, b, hook.New("trim", hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		use := hook.Clone(ev.Body().(hook.ToolUse))
		use.ToolInput["command"] = strings.TrimSpace(use.ToolInput["command"].(string))
		return hook.Change(use), nil
	}), hook.For("PreToolUse")))
	mustAdd(t, b, hook.New("no-rm", hook.Static{Action: hook.ActionBlock, Reason: "not that", UserMessage: "ask Ops"}, hook.For("PreToolUse"), hook.MatchCommand(`^rm\b`), hook.As(hook.Guard)))

	out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("  rm -rf /  ")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint([]any{out.GetAction(), out.GetReason(), out.GetBy(), out.GetUserMessage()}), fmt.Sprint([]any{hookwayv1.Action_ACTION_BLOCK, "not that", "no-rm", "ask Ops"}); got != want {
		t.Errorf("the outcome is %v: got %s, want %s", out, got, want)
	} else if !out.GetChanged() {
		t.Errorf("the outcome is %v", out)
	}
	if want := `{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`; string(out.GetPayload()) != want {
		t.Errorf("payload %s, want %s", out.GetPayload(), want)
	}
	var whole struct {
		Action string
		Steps  []struct{ Hook string }
	}
	if err := json.Unmarshal(out.GetJson(), &whole); err != nil || whole.Action != "block" || len(whole.Steps) != 2 {
		t.Errorf("json %s: %v", out.GetJson(), err)
	}
}

func TestFireTakesAliasesAndFlatEvents(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	at := time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	out, err := client.Fire(within(t), &hookwayv1.FireRequest{
		Event: &hookwayv1.Event{
			Name: "before-tool-call", Id: "e-1", Cwd: "/work/project", Agent: "loop", Source: "mine", Time: timestamppb.New(at),
			Json: []byte(`{"hook_event_name":"PreToolUse","session_id":"s-2","tool_name":"Bash","tool_input":{"n":18446744073709551615}}`),
		},
		Env: map[string]string{"B": "2", "A": "1"}, DryRun: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out.GetPayload()), "18446744073709551615") {
		t.Errorf("the payload lost digits: %s", out.GetPayload())
	}
	f := b.firing[0]
	if f.Event != "before-tool-call" || f.ID != "e-1" || !f.Time.Equal(at) {
		t.Errorf("fired was %+v", f)
	} else if got, want := fmt.Sprint([]any{f.CWD, f.Agent, f.Source, strings.Join(f.Env, " ")}), fmt.Sprint([]any{"/work/project", "loop", "mine", "A=1 B=2"}); got != want {
		t.Errorf("fired was %+v: got %s, want %s", f, got, want)
	} else if !f.DryRun {
		t.Errorf("fired was %+v", f)
	}
	if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "SessionStart"}}); err != nil {
		t.Errorf("an event without a payload: %v", err)
	}
}

func TestFireGivesResultsAndDelays(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	mustAdd(t, b, hook.New("cache", hook.Static(hook.Answer(map[string]any{"n": json.Number("9007199254740993")})), hook.For("PreToolUse"), hook.MatchTool("Cached")))
	mustAdd(t, b, hook.New("limit", hook.Static(hook.Retry(5*time.Second)), hook.For("PreToolUse"), hook.MatchTool("Bash")))
	out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "PreToolUse", Json: []byte(`{"tool_name":"Cached"}`)}})
	if err != nil || out.GetAction() != hookwayv1.Action_ACTION_ANSWER || string(out.GetResult()) != `{"n":9007199254740993}` {
		t.Errorf("answered %v, %v", out, err)
	}
	out, err = client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")})
	if err != nil || out.GetAction() != hookwayv1.Action_ACTION_RETRY {
		t.Errorf("answered %v, %v", out, err)
	} else if out.GetRetryDelay().AsDuration() != 5*time.Second || out.GetResult() != nil {
		t.Errorf("answered %v, %v", out, err)
	}
}

func TestWhatCannotBeFiredSaysWhy(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	for name, c := range map[string]struct {
		r    *hookwayv1.FireRequest
		says string
	}{
		"no event":         {&hookwayv1.FireRequest{}, "event.name is missing"},
		"an unknown event": {&hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "PreTolUse"}}, "did you mean PreToolUse?"},
		"no JSON":          {&hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "PreToolUse", Json: []byte(`{"tool_name":`)}}, "cannot be read"},
		"a wrong type":     {&hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "PreToolUse", Json: []byte(`{"tool_name":7}`)}}, "tool_name"},
		"another event":    {&hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "Stop", Json: []byte(`{"hook_event_name":"PreToolUse"}`)}}, "hook_event_name"},
		"a relative cwd":   {&hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "Stop", Cwd: "here"}}, "not an absolute path"},
		"a bad variable":   {&hookwayv1.FireRequest{Event: bash("ls"), Env: map[string]string{"A=B": "1"}}, "is not a variable"},
		"a bad time":       {&hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "Stop", Time: &timestamppb.Timestamp{Nanos: -1}}}, "event.time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Fire(within(t), c.r)
			wantStatus(t, err, codes.InvalidArgument, c.says)
		})
	}
}

// hanging is a hook that hangs until its event is given up.
func hanging(began, ended chan<- struct{}) hook.Handler {
	return hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return hook.Decision{}, ctx.Err()
	})
}

func TestACancelledCallAbortsItsHooks(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	began, ended := make(chan struct{}), make(chan struct{})
	mustAdd(t, b, hook.New("slow", hanging(began, ended), hook.For("PreToolUse")))
	ctx, cancel := context.WithCancel(within(t))
	failed := make(chan error, 1)
	go func() {
		_, err := client.Fire(ctx, &hookwayv1.FireRequest{Event: bash("ls")})
		failed <- err
	}()
	<-began
	cancel()
	<-ended
	wantStatus(t, <-failed, codes.Canceled)
}

func TestTheDeadlineOfACallIsThatOfItsHooks(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	deadlines := make(chan time.Duration, 1)
	mustAdd(t, b, hook.New("look", hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		at, _ := ctx.Deadline()
		deadlines <- time.Until(at)
		return hook.Decision{}, nil
	}), hook.For("PreToolUse"), hook.Timeout(time.Hour)))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := client.Fire(ctx, &hookwayv1.FireRequest{Event: bash("ls")}); err != nil {
		t.Fatal(err)
	}
	if left := <-deadlines; left > patience || left <= 0 {
		t.Errorf("the hook had %v", left)
	}

	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	mustAdd(t, b, hook.New("slow", hanging(began, ended), hook.For("Stop")))
	short, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := client.Fire(short, &hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "Stop"}})
	wantStatus(t, err, codes.DeadlineExceeded)
	select {
	case <-began:
		<-ended
	default: // the machine is so busy that it did not come to it
	}
}

func TestAPanicIsTheEndOfOneCall(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	spec := &hookwayv1.HookSpec{Id: "panics", On: []string{"PreToolUse"}}
	_, err := client.Register(within(t), &hookwayv1.RegisterRequest{Hook: spec, Handler: &hookwayv1.RegisterRequest_Decision{Decision: &hookwayv1.Decision{}}})
	wantStatus(t, err, codes.Internal, "panicked")
	if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")}); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

func TestAnEventOfManyMegabytes(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	big := strings.Repeat("0123456789abcdef", 1<<20)
	out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash(big)}, largest)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.GetPayload()) < len(big) {
		t.Errorf("%d bytes came back", len(out.GetPayload()))
	}
}

func TestHealthIsServed(t *testing.T) {
	noGoroutinesLeft(t)
	s, l := NewService(new(bench), ServiceOptions{}), socket(t)
	serve(t, s, l)
	health := healthv1.NewHealthClient(dialTo(t, l.Addr()))
	for _, service := range []string{"", "hookway.v1.Engine"} {
		r, err := health.Check(within(t), &healthv1.HealthCheckRequest{Service: service})
		if err != nil || r.GetStatus() != healthv1.HealthCheckResponse_SERVING {
			t.Errorf("health of %q: %v, %v", service, r, err)
		}
	}
}

func TestAListenerAsksForTheToken(t *testing.T) {
	noGoroutinesLeft(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewService(new(bench), ServiceOptions{Admit: func(from net.Conn, md metadata.MD) error {
		if from.LocalAddr().String() != l.Addr().String() {
			return status.Error(codes.Internal, "it came in elsewhere")
		}
		if !slices.Equal(md.Get("authorization"), []string{"Bearer right"}) {
			return errors.New("the token is wrong")
		}
		return nil
	}})
	serve(t, s, l)
	client := hookwayv1.NewEngineClient(dialTo(t, l.Addr()))
	r := &hookwayv1.FireRequest{Event: bash("ls")}
	for _, wrong := range []string{"Bearer wrong", "right", ""} {
		_, err = client.Fire(with(within(t), wrong), r)
		wantStatus(t, err, codes.Unauthenticated, "the token is wrong")
		stream, err := client.Watch(with(within(t), wrong), &hookwayv1.WatchRequest{})
		if err == nil {
			_, err = stream.Recv()
		}
		wantStatus(t, err, codes.Unauthenticated)
	}
	if _, err := client.Fire(with(within(t), "Bearer right"), r); err != nil {
		t.Error(err)
	}
}

func TestAStoppedServiceSaysSo(t *testing.T) {
	_, s, client := open(t, ServiceOptions{})
	if _, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")}); err != nil {
		t.Fatal(err)
	}
	watch, err := client.Watch(within(t), &hookwayv1.WatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Header(); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	_, err = watch.Recv()
	wantStatus(t, err, codes.Unavailable, "ending")
	_, err = client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")})
	wantStatus(t, err, codes.Unavailable, "ending")
}

func lasting(d time.Duration) *durationpb.Duration { return durationpb.New(d) }
