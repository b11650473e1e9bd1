package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/eventually"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// deciding registers a hook that always decides the same.
func deciding(s *hookwayv1.HookSpec, d *hookwayv1.Decision) *hookwayv1.RegisterRequest {
	return &hookwayv1.RegisterRequest{Hook: s, Handler: &hookwayv1.RegisterRequest_Decision{Decision: d}}
}

func TestARegisteredDecision(t *testing.T) {
	b, s, client := open(t, ServiceOptions{})
	spec := &hookwayv1.HookSpec{
		Id: "no-rm", On: []string{"PreToolUse"}, Lane: "Guard", OnFailure: "block", Profile: "a3s", MaxRetries: 2, Priority: new(int32),
		Timeout: lasting(time.Second), Match: &hookwayv1.Matcher{
			Tool: []string{"Bash"}, Any: []*hookwayv1.Matcher{{Command: []string{`^rm\b`}}, {Fields: map[string]string{"tool_input.force": "true"}}},
			Not: &hookwayv1.Matcher{Session: []string{"trusted"}},
		},
	}
	r, err := client.Register(within(t), deciding(spec, &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "no", UserMessage: "ask Ops"}))
	if err != nil || r.GetId() != "no-rm" || r.GetReplaced() {
		t.Fatalf("registering gave %v, %v", r, err)
	}
	h, _ := b.Get("no-rm")
	if got, want := fmt.Sprint([]any{h.Lane, h.OnFail, h.Profile.Name, h.Retries, h.Priority, h.Timeout}), fmt.Sprint([]any{hook.Guard, hook.FailClosed, "a3s", 2, 0, time.Second}); got != want {
		t.Errorf("the hook is %+v: got %s, want %s", h, got, want)
	} else if h.Origin == "" {
		t.Errorf("the hook is %+v", h)
	}
	for command, want := range map[string]hookwayv1.Action{"rm -rf /": hookwayv1.Action_ACTION_BLOCK, "ls": hookwayv1.Action_ACTION_CONTINUE} {
		out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash(command)})
		if err != nil || out.GetAction() != want {
			t.Errorf("%s gave %v, %v", command, out, err)
		}
	}
	r, err = client.Register(within(t), deciding(spec, &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_ASK}))
	if err != nil || !r.GetReplaced() || s.Registered() != 1 {
		t.Errorf("registering again gave %v, %v", r, err)
	}
	out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("rm x")})
	if err != nil || out.GetAction() != hookwayv1.Action_ACTION_ASK {
		t.Errorf("the one in its place gave %v, %v", out, err)
	}
	for i, found := range []bool{true, false} {
		u, err := client.Unregister(within(t), &hookwayv1.UnregisterRequest{Id: "no-rm"})
		if err != nil || u.GetFound() != found {
			t.Errorf("unregistering for the %d. time gave %v, %v", i+1, u, err)
		}
	}
	if b.Len() != 0 || s.Registered() != 0 {
		t.Errorf("left are %v", b.All())
	}
}

func TestARegisteredChangeFitsEachEvent(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	spec := &hookwayv1.HookSpec{Id: "limit", On: []string{"PreToolUse"}}
	if _, err := client.Register(within(t), deciding(spec, &hookwayv1.Decision{Modified: []byte(`{"tool_input":{"timeout":30}}`), Metadata: []byte(`{"seen":true}`)})); err != nil {
		t.Fatal(err)
	}
	out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash("ls")})
	if err != nil || string(out.GetPayload()) != `{"tool_name":"Bash","tool_input":{"command":"ls","timeout":30}}` || !strings.Contains(string(out.GetJson()), `"metadata":{"seen":true}`) {
		t.Errorf("the outcome is %s, %v", out.GetJson(), err)
	}
	every := &hookwayv1.HookSpec{Id: "note", On: []string{"*"}}
	if _, err := client.Register(within(t), deciding(every, &hookwayv1.Decision{Inject: "noted"})); err != nil {
		t.Fatal(err)
	}
	if out, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "SessionStart"}}); err != nil || out.GetInject() != "noted" {
		t.Errorf("the outcome is %v, %v", out, err)
	}
}

func TestWhatCannotBeRegisteredSaysWhy(t *testing.T) {
	_, s, client := open(t, ServiceOptions{})
	block := &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK}
	on := func(events ...string) *hookwayv1.HookSpec { return &hookwayv1.HookSpec{Id: "h", On: events} }
	for name, c := range map[string]struct {
		r    *hookwayv1.RegisterRequest
		says []string
	}{
		"nothing":          {&hookwayv1.RegisterRequest{}, []string{"there is no hook"}},
		"no id, no on":     {deciding(&hookwayv1.HookSpec{}, block), []string{"no id", "no on"}},
		"a blank":          {deciding(&hookwayv1.HookSpec{Id: " h", On: []string{"Stop"}}, block), []string{"begins or ends with a blank"}},
		"a control":        {deciding(&hookwayv1.HookSpec{Id: "h\nh", On: []string{"Stop"}}, block), []string{"control character"}},
		"a long id":        {deciding(&hookwayv1.HookSpec{Id: strings.Repeat("x", 201), On: []string{"Stop"}}, block), []string{"longer than 200 bytes"}},
		"an unknown event": {deciding(on("PreTolUse"), block), []string{"did you mean PreToolUse?"}},
		"many mistakes": {deciding(&hookwayv1.HookSpec{
			Id: "h", On: []string{"Stop"}, Lane: "gaurd", OnFailure: "stop", Profile: "asc", MaxRetries: 11, Timeout: lasting(25 * time.Hour),
			Match: &hookwayv1.Matcher{Command: []string{"("}, Any: []*hookwayv1.Matcher{{Path: []string{"[a"}}}},
		}, block), []string{`lane "gaurd" is unknown`, "did you mean guard?", `on_failure "stop" is unknown; it is continue or block`, "profile", "max_retries is 11; it must be between 0 and 10", "at most 24h0m0s is taken for meant", "match: command[0]", "any[0].path[0]"}},
		"a negative lease":     {&hookwayv1.RegisterRequest{Hook: on("Stop"), Lease: lasting(-1), Handler: deciding(nil, block).Handler}, []string{"lease is negative"}},
		"a relative cwd":       {&hookwayv1.RegisterRequest{Hook: on("Stop"), Cwd: "x", Handler: deciding(nil, block).Handler}, []string{"not an absolute path"}},
		"no handler":           {&hookwayv1.RegisterRequest{Hook: on("Stop")}, []string{"no handler", "a target"}},
		"no target here":       {&hookwayv1.RegisterRequest{Hook: on("Stop"), Handler: &hookwayv1.RegisterRequest_Target{Target: "unix:///x"}}, []string{"cannot be registered here"}},
		"an idle decision":     {deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"Stop"}, Lane: "observe"}, block), []string{"observe lane"}},
		"a guard that changes": {deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"PreToolUse"}, Lane: "guard"}, &hookwayv1.Decision{Modified: []byte(`{}`)}), []string{"a guard only judges"}},
		"not of this event":    {deciding(on("PreToolUse", "SessionEnd"), block), []string{"a hook of SessionEnd may not block"}},
		"no injection there":   {deciding(on("GatewayStart"), &hookwayv1.Decision{Inject: "x"}), []string{"a hook of GatewayStart may not inject"}},
		"another field":        {deciding(on("PreToolUse"), &hookwayv1.Decision{Modified: []byte(`{"tool_imput":1}`)}), []string{"does not fit PreToolUse", "did you mean tool_input?"}},
		"no JSON":              {deciding(on("PreToolUse"), &hookwayv1.Decision{Modified: []byte(`{`)}), []string{"modified must be JSON"}},
		"at every event":       {deciding(on("*"), &hookwayv1.Decision{Action: 9}), []string{"there is no action 9"}},
		"an unknown action":    {deciding(on("PreToolUse"), &hookwayv1.Decision{Action: -1}), []string{"there is no action -1"}},
		"too deep":             {deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"Stop"}, Match: nested(2000)}, block), []string{"nested deeper than 32"}},
		"too many":             {deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"Stop"}, Match: &hookwayv1.Matcher{Any: make32k()}}, block), []string{"more than 1024 patterns"}},
		"too long":             {deciding(&hookwayv1.HookSpec{Id: "h", On: []string{"Stop"}, Match: &hookwayv1.Matcher{Command: []string{strings.Repeat("(a|b)?", 20_000)}}}, block), []string{"65536 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Register(within(t), c.r)
			wantStatus(t, err, codes.InvalidArgument, c.says...)
		})
	}
	if s.Registered() != 0 {
		t.Errorf("%d hooks are registered", s.Registered())
	}
	_, err := client.Unregister(within(t), &hookwayv1.UnregisterRequest{})
	wantStatus(t, err, codes.InvalidArgument, "id is missing")
}

func nested(n int) *hookwayv1.Matcher {
	m := &hookwayv1.Matcher{Tool: []string{"Bash"}}
	for range n {
		m = &hookwayv1.Matcher{Not: m}
	}
	return m
}

func make32k() []*hookwayv1.Matcher {
	out := make([]*hookwayv1.Matcher, 32<<10)
	for i := range out {
		out[i] = &hookwayv1.Matcher{}
	}
	return out
}

func TestNoMoreThanSoManyHooks(t *testing.T) {
	r := newRegistry(new(bench), nil)
	for i := range maxRegistered {
		if _, _, err := r.put(t.Context(), "", always2(fmt.Sprint(i)), 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := r.put(t.Context(), "", always2("one more"), 0, nil)
	wantStatus(t, registerError(err), codes.ResourceExhausted, "unregister some")
	if _, replaced, err := r.put(t.Context(), "", always2("7"), 0, nil); err != nil || !replaced {
		t.Errorf("one in another's place: %v, %v", replaced, err)
	}
	r.close()
	if _, _, err := r.put(t.Context(), "", always2("7"), 0, nil); !errors.Is(err, errClosed) {
		t.Errorf("a closed registry gave %v", err)
	}
}

// always2 is a hook with an id.
func always2(id string) hook.Hook {
	return hook.New(id, hook.Static{}, hook.For("Stop"))
}

func TestALeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(bench)
		r := newRegistry(b, nil)
		var gone atomic.Int32
		put := func(lease time.Duration) {
			t.Helper()
			if _, _, err := r.put(t.Context(), "", always2("h"), lease, func(*registration) { gone.Add(1) }); err != nil {
				t.Fatal(err)
			}
		}
		put(time.Minute)
		time.Sleep(59 * time.Second)
		put(time.Minute) // again: its time begins anew
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if b.Len() != 1 || gone.Load() != 1 {
			t.Errorf("after 59 s, %d hooks are there and %d gone", b.Len(), gone.Load())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if b.Len() != 0 || r.count() != 0 || gone.Load() != 2 {
			t.Errorf("after 61 s, %d hooks are there and %d gone", b.Len(), gone.Load())
		}
		put(time.Minute)
		put(0) // now for ever
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.Len() != 1 || gone.Load() != 3 {
			t.Errorf("without a lease, %d hooks are there and %d gone", b.Len(), gone.Load())
		}
		r.close()
		if b.Len() != 0 || gone.Load() != 4 {
			t.Errorf("after the end, %d hooks are there and %d gone", b.Len(), gone.Load())
		}
	})
}

// dialed is the handler of a target.
type dialed struct {
	target string
	began  chan struct{}
	goOn   chan struct{}
	closed *atomic.Int32
}

func (d *dialed) Handle(context.Context, hook.AnyEvent) (hook.Decision, error) {
	if d.began != nil {
		d.began <- struct{}{}
		<-d.goOn
	}
	return hook.Block("by " + d.target), nil
}

func (d *dialed) Close() error {
	d.closed.Add(1)
	return nil
}

func TestATargetIsOpenAsLongAsItIsAsked(t *testing.T) {
	var opened, closed atomic.Int32
	began, goOn := make(chan struct{}), make(chan struct{})
	_, _, client := open(t, ServiceOptions{Dial: func(target string, h hook.Hook) (Closing, error) {
		if target == "nonsense" {
			return nil, errors.New(`"nonsense" is no target`)
		}
		opened.Add(1)
		return &dialed{target: target + " " + h.ID, began: began, goOn: goOn, closed: &closed}, nil
	}})
	spec := &hookwayv1.HookSpec{Id: "far", On: []string{"PreToolUse"}}
	_, err := client.Register(within(t), &hookwayv1.RegisterRequest{Hook: spec, Handler: &hookwayv1.RegisterRequest_Target{Target: "nonsense"}})
	wantStatus(t, err, codes.InvalidArgument, "is no target")
	if _, err := client.Register(within(t), &hookwayv1.RegisterRequest{Hook: spec, Handler: &hookwayv1.RegisterRequest_Target{Target: "unix:///x"}}); err != nil {
		t.Fatal(err)
	}
	out := fire(t, client, bash("ls"))
	<-began
	if _, err := client.Unregister(within(t), &hookwayv1.UnregisterRequest{Id: "far"}); err != nil {
		t.Fatal(err)
	}
	if closed.Load() != 0 {
		t.Error("it was closed while it was asked")
	}
	goOn <- struct{}{}
	if r := <-out; r.GetReason() != "by unix:///x far" {
		t.Errorf("the outcome is %v", r)
	}
	eventually.True(t, "the replaced one is closed", func() bool { return closed.Load() == 1 })
	bad := &hookwayv1.HookSpec{Id: "far", On: []string{"Nothing"}}
	_, err = client.Register(within(t), &hookwayv1.RegisterRequest{Hook: bad, Handler: &hookwayv1.RegisterRequest_Target{Target: "unix:///x"}})
	wantStatus(t, err, codes.InvalidArgument, "unknown event")
	eventually.True(t, "all are closed", func() bool { return closed.Load() == opened.Load() })
}
