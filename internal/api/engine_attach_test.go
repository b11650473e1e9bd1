package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/eventually"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// attachedProgram is a program that attached hooks and answers for them.
type attachedProgram struct {
	t      testing.TB
	stream hookwayv1.Engine_AttachClient
	leave  context.CancelFunc
	sends  sync.Mutex
}

// attach opens a stream.
func attach(t testing.TB, client hookwayv1.EngineClient) *attachedProgram {
	t.Helper()
	ctx, cancel := context.WithCancel(within(t))
	t.Cleanup(cancel)
	stream, err := client.Attach(ctx, largest)
	if err != nil {
		t.Fatal(err)
	}
	return &attachedProgram{t: t, stream: stream, leave: cancel}
}

func (g *attachedProgram) send(m *hookwayv1.AttachRequest) {
	g.t.Helper()
	g.sends.Lock()
	defer g.sends.Unlock()
	if err := g.stream.Send(m); err != nil {
		g.t.Errorf("sending: %v", err)
	}
}

func (g *attachedProgram) hook(s *hookwayv1.HookSpec) {
	g.t.Helper()
	g.send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{Hook: s}}})
}

func (g *attachedProgram) answer(id uint64, d *hookwayv1.Decision) {
	g.t.Helper()
	g.send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: &hookwayv1.StreamResponse{Id: id, Kind: &hookwayv1.StreamResponse_Decision{Decision: d}}}})
}

func (g *attachedProgram) next() *hookwayv1.AttachResponse {
	g.t.Helper()
	m, err := g.stream.Recv()
	if err != nil {
		g.t.Fatalf("receiving: %v", err)
	}
	return m
}

// attached attaches a hook and waits until it is there.
func (g *attachedProgram) attached(s *hookwayv1.HookSpec) {
	g.t.Helper()
	g.hook(s)
	if m := g.next(); m.GetAttached() != s.GetId() {
		g.t.Fatalf("attaching %s gave %v", s.GetId(), m)
	}
}

func guardSpec(id string) *hookwayv1.HookSpec {
	return &hookwayv1.HookSpec{Id: id, On: []string{"PreToolUse"}, Lane: "guard"}
}

// fire fires in the background.
func fire(t testing.TB, client hookwayv1.EngineClient, ev *hookwayv1.Event) <-chan *hookwayv1.FireResponse {
	out := make(chan *hookwayv1.FireResponse, 1)
	ctx := within(t)
	go func() {
		r, err := client.Fire(ctx, &hookwayv1.FireRequest{Event: ev}, largest)
		if err != nil {
			t.Errorf("firing: %v", err)
		}
		out <- r
	}()
	return out
}

func TestAnAttachedHookIsAnsweredOnItsStream(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(&hookwayv1.HookSpec{Id: "mine", On: []string{"before-tool-call"}, Match: &hookwayv1.Matcher{Tool: []string{"Bash"}}})
	out := fire(t, client, bash("ls"))
	ask := g.next().GetAsk()
	handle := ask.GetHandle()
	if got, want := fmt.Sprint([]any{handle.GetHook(), handle.GetEvent().GetName(), handle.GetEvent().GetSessionId()}), fmt.Sprint([]any{"mine", "PreToolUse", "s-1"}); got != want {
		t.Errorf("asked was %v: got %s, want %s", ask, got, want)
	} else if !strings.Contains(string(handle.GetEvent().GetJson()), `"hook_event_name":"PreToolUse"`) || ask.GetTimeout().AsDuration() <= 0 {
		t.Errorf("asked was %v", ask)
	}
	g.answer(ask.GetId(), &hookwayv1.Decision{Modified: []byte(`{"tool_input":{"command":"ls -l"}}`), Inject: "it lists"})
	r := <-out
	if r.GetInject() != "it lists" || string(r.GetPayload()) != `{"tool_name":"Bash","tool_input":{"command":"ls -l"}}` {
		t.Errorf("the outcome is %v", r)
	}
	if r := <-fire(t, client, &hookwayv1.Event{Name: "PreToolUse", Json: []byte(`{"tool_name":"Read"}`)}); r.GetAction() != 0 {
		t.Errorf("an event that does not match gave %v", r)
	}
}

func TestAnswersMayComeInAnyOrder(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	const n = 40
	var outs [n]<-chan *hookwayv1.FireResponse
	for i := range n {
		outs[i] = fire(t, client, bash(fmt.Sprintf("echo %d", i)))
	}
	asks := map[uint64]string{}
	for range n {
		ask := g.next().GetAsk()
		asks[ask.GetId()] = string(ask.GetHandle().GetEvent().GetJson())
	}
	for id, event := range asks { // maps have no order
		_, rest, _ := strings.Cut(event, "echo ")
		number, _, _ := strings.Cut(rest, `"`)
		g.answer(id, &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "not " + number})
	}
	for i, out := range outs {
		if r := <-out; r.GetReason() != fmt.Sprintf("not %d", i) {
			t.Errorf("event %d got %q", i, r.GetReason())
		}
	}
}

func TestHooksGoWithTheirStream(t *testing.T) {
	b, s, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	g.attached(&hookwayv1.HookSpec{Id: "other", On: []string{"Stop"}})
	if n := s.Registered(); n != 2 {
		t.Errorf("%d hooks are registered", n)
	}
	out := fire(t, client, bash("ls"))
	g.next()
	g.leave() // as if the program had died: the guard cannot decide, so it blocks
	if r := <-out; r.GetAction() != hookwayv1.Action_ACTION_BLOCK || !strings.Contains(r.GetReason(), "not attached any more") {
		t.Errorf("the outcome is %v", r)
	}
	eventually.True(t, "no hook is left", func() bool { return b.Len() == 0 && s.Registered() == 0 }, func() string { return fmt.Sprint(b.All()) })
	if r := <-fire(t, client, bash("ls")); r.GetAction() != 0 {
		t.Errorf("without the hook, the outcome is %v", r)
	}
}

// What a program answered before it went counts.
func TestAnAnswerCountsThoughItsProgramGoes(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	for range 20 {
		g := attach(t, client)
		g.attached(guardSpec("mine"))
		out := fire(t, client, bash("ls"))
		g.answer(g.next().GetAsk().GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "not now"})
		if err := g.stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if r := <-out; r.GetReason() != "not now" {
			t.Fatalf("the outcome is %v", r)
		}
	}
}

func TestAHalfClosedStreamTakesItsHooksOut(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	if err := g.stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	_, err := g.stream.Recv()
	if ended := errors.Is(err, io.EOF) || status.Code(err) == codes.Unknown; err == nil || !ended {
		t.Errorf("the stream ended with %v", err)
	}
	eventually.True(t, "no hook is left", func() bool { return b.Len() == 0 })
}

func TestACallerThatGivesUpIsNotAnswered(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	ctx, cancel := context.WithCancel(within(t))
	failed := make(chan error, 1)
	go func() {
		_, err := client.Fire(ctx, &hookwayv1.FireRequest{Event: bash("ls")})
		failed <- err
	}()
	ask := g.next().GetAsk()
	cancel()
	wantStatus(t, <-failed, codes.Canceled)
	if m := g.next().GetAsk(); m.GetId() != ask.GetId() || m.GetCancel() == nil {
		t.Errorf("after the abort came %v", m)
	}
	g.answer(ask.GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK}) // late: it goes nowhere
	g.answer(ask.GetId()+1, &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "a guess"})
	g.attached(&hookwayv1.HookSpec{Id: "other", On: []string{"Stop"}}) // so that the answers were read
	out := fire(t, client, bash("ls"))
	next := g.next().GetAsk()
	g.answer(next.GetId(), &hookwayv1.Decision{})
	if r := <-out; r.GetAction() != 0 {
		t.Errorf("an answer to a guessed id counted: %v", r)
	}
}

func TestASlowAnswerFailsItsHookOnly(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	spec := guardSpec("mine")
	spec.Timeout = lasting(30 * time.Millisecond)
	spec.OnFailure = "continue"
	g.attached(spec)
	r := <-fire(t, client, bash("ls"))
	if r.GetAction() != 0 || !strings.Contains(string(r.GetJson()), "ran out of time") {
		t.Errorf("the outcome is %s", r.GetJson())
	}
}

func TestWhatAProgramAnswersWrongly(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	for name, c := range map[string]struct {
		answer *hookwayv1.StreamResponse
		says   string
	}{
		"a failure":            {&hookwayv1.StreamResponse{Kind: &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{Message: "the rules are gone"}}}, "the rules are gone"},
		"a silent failure":     {&hookwayv1.StreamResponse{Kind: &hookwayv1.StreamResponse_Failure{}}, "without saying why"},
		"nothing":              {&hookwayv1.StreamResponse{}, "neither a decision nor a failure"},
		"an unknown action":    {decisionAnswer(&hookwayv1.Decision{Action: 99}), "no action 99"},
		"a change that is not": {decisionAnswer(&hookwayv1.Decision{Modified: []byte(`{"tool_input":`)}), "must be JSON"},
		"another field":        {decisionAnswer(&hookwayv1.Decision{Modified: []byte(`{"tool_imput":{}}`)}), "did you mean tool_input?"},
		"an injection":         {decisionAnswer(&hookwayv1.Decision{Modified: []byte(`{},"action":"allow"`)}), "must be JSON"},
		"metadata of one word": {decisionAnswer(&hookwayv1.Decision{Metadata: []byte(`"word"`)}), "metadata"},
		"a negative delay":     {decisionAnswer(&hookwayv1.Decision{Action: hookwayv1.Action_ACTION_RETRY, RetryDelay: lasting(-time.Second)}), "retry_delay_ms"},
		"3 MiB":                {decisionAnswer(&hookwayv1.Decision{Inject: strings.Repeat("x", 3<<20)}), "the limit is"},
	} {
		t.Run(name, func(t *testing.T) {
			out := fire(t, client, bash("ls"))
			ask := g.next().GetAsk()
			c.answer.Id = ask.GetId()
			g.send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: c.answer}})
			if r := <-out; r.GetAction() != hookwayv1.Action_ACTION_BLOCK || !strings.Contains(string(r.GetJson()), c.says) {
				t.Errorf("the outcome is %s; it lacks %q", r.GetJson(), c.says)
			}
			g.attached(guardSpec("mine")) // its circuit is closed again
		})
	}
	out := fire(t, client, bash("ls"))
	g.answer(g.next().GetAsk().GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "no", Modified: []byte("garbage")})
	if r := <-out; r.GetAction() != hookwayv1.Action_ACTION_BLOCK || r.GetReason() != "no" {
		t.Errorf("a no with a flaw gave %s", r.GetJson())
	}
}

func decisionAnswer(d *hookwayv1.Decision) *hookwayv1.StreamResponse {
	return &hookwayv1.StreamResponse{Kind: &hookwayv1.StreamResponse_Decision{Decision: d}}
}

func TestAttachingIsRefusedWithAReason(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.hook(&hookwayv1.HookSpec{Id: "bad", On: []string{"PreTolUse"}, Lane: "gard"})
	if r := g.next().GetRefused(); r.GetId() != "bad" || !strings.Contains(r.GetReason(), `lane "gard" is unknown; it is transform, guard or observe; did you mean guard?`) {
		t.Errorf("refused: %v", r)
	}
	g.hook(&hookwayv1.HookSpec{Id: "bad", On: []string{"PreTolUse"}})
	if r := g.next().GetRefused(); !strings.Contains(r.GetReason(), "did you mean PreToolUse?") {
		t.Errorf("refused: %v", r)
	}
	g.attached(guardSpec("good")) // the stream goes on
	g.hook(&hookwayv1.HookSpec{Id: "good", On: []string{"Nothing"}})
	if r := g.next().GetRefused(); r.GetId() != "good" {
		t.Errorf("refused: %v", r)
	}
	if b.Len() != 1 {
		t.Errorf("a refused hook took the one that was there: %v", b.All())
	}
	g.send(&hookwayv1.AttachRequest{})
	_, err := g.stream.Recv()
	wantStatus(t, err, codes.InvalidArgument, "none of them")
}

func TestAPanicIsTheEndOfOneStream(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("good"))
	g.hook(guardSpec("panics"))
	_, err := g.stream.Recv()
	wantStatus(t, err, codes.Internal, "panicked")
	eventually.True(t, "no hook is left", func() bool { return b.Len() == 0 })
	attach(t, client).attached(guardSpec("good"))
}

func TestDetachingAndReplacing(t *testing.T) {
	b, _, client := open(t, ServiceOptions{})
	one, two := attach(t, client), attach(t, client)
	one.attached(guardSpec("a"))
	one.attached(guardSpec("a")) // again: without a word of the first
	one.send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Detach{Detach: "a"}})
	if m := one.next(); m.GetDetached() != "a" || b.Len() != 0 {
		t.Errorf("detaching gave %v, and left %v", m, b.All())
	}
	one.attached(guardSpec("b"))
	two.attached(guardSpec("b"))
	if m := one.next(); m.GetDetached() != "b" {
		t.Errorf("replacing sent %v", m)
	}
	out := fire(t, client, bash("ls"))
	two.answer(two.next().GetAsk().GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "two"})
	if r := <-out; r.GetReason() != "two" {
		t.Errorf("the outcome is %v", r)
	}
	r, err := client.Unregister(within(t), &hookwayv1.UnregisterRequest{Id: "b"})
	if err != nil || !r.GetFound() {
		t.Errorf("unregistering gave %v, %v", r, err)
	}
	if m := two.next(); m.GetDetached() != "b" {
		t.Errorf("unregistering sent %v", m)
	}
}

// TestAProgramThatDoesNotRead cannot make the daemon keep more than its slots.
func TestAProgramThatDoesNotRead(t *testing.T) {
	b, s, client := open(t, ServiceOptions{})
	g := attach(t, client)
	spec := guardSpec("mine")
	spec.OnFailure, spec.Timeout = "continue", lasting(300*time.Millisecond)
	g.attached(spec)
	payload := strings.Repeat("x", 64<<10) // soon more than what the connection takes
	var all sync.WaitGroup
	for range maxAsked + maxAsked/4 {
		all.Go(func() {
			r, err := client.Fire(within(t), &hookwayv1.FireRequest{Event: bash(payload)}, largest)
			if err != nil || r.GetAction() != 0 {
				t.Errorf("firing gave %v, %v", r.GetAction(), err)
			}
		})
	}
	all.Wait()
	g.leave()
	eventually.True(t, "no hook is left", func() bool { return b.Len() == 0 && s.Registered() == 0 })
}

// TestALargeEventDoesNotEndAStream: its guard fails, blocks, and stays.
func TestALargeEventDoesNotEndAStream(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	stream, err := client.Attach(within(t)) // with the limit that clients have
	if err != nil {
		t.Fatal(err)
	}
	g := &attachedProgram{t: t, stream: stream}
	g.attached(guardSpec("mine"))
	r := <-fire(t, client, bash(strings.Repeat("x", 5<<20)))
	if r.GetAction() != hookwayv1.Action_ACTION_BLOCK || !strings.Contains(r.GetReason(), "max_event") {
		t.Errorf("the outcome is %s", r.GetReason())
	}
	out := fire(t, client, bash("ls"))
	g.answer(g.next().GetAsk().GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "still there"})
	if r := <-out; r.GetReason() != "still there" {
		t.Errorf("the outcome is %v", r)
	}

	wide := attach(t, client)
	wide.send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{Hook: guardSpec("mine"), MaxEvent: 16 << 20}}})
	wide.next()
	out = fire(t, client, bash(strings.Repeat("x", 5<<20)))
	wide.answer(wide.next().GetAsk().GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "read"})
	if r := <-out; r.GetReason() != "read" {
		t.Errorf("the outcome is %v", r.GetReason())
	}
}

func TestAttachedHooksAnswerWhileTheServiceStops(t *testing.T) {
	_, s, client := open(t, ServiceOptions{})
	g := attach(t, client)
	g.attached(guardSpec("mine"))
	out := fire(t, client, bash("ls"))
	ask := g.next().GetAsk()
	s.Stop()
	g.answer(ask.GetId(), &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: "in time"})
	if r := <-out; r.GetReason() != "in time" {
		t.Errorf("the outcome is %v", r)
	}
	_, err := g.stream.Recv()
	wantStatus(t, err, codes.Unavailable, "ending")
}

// TestAGuardBlocksWhoseCircuitIsOpen: what the engine promises holds for attached
// hooks, too. There is no answer, which costs time; now and then a call is let through,
// on a slow machine perhaps each, but not for ever.
func TestAGuardBlocksWhoseCircuitIsOpen(t *testing.T) {
	_, _, client := open(t, ServiceOptions{})
	g := attach(t, client)
	spec := guardSpec("mine")
	spec.Timeout = durationpb.New(20 * time.Millisecond)
	g.attached(spec)
	for end := time.Now().Add(time.Minute); ; {
		r := <-fire(t, client, bash("ls"))
		if r.GetAction() != hookwayv1.Action_ACTION_BLOCK {
			t.Fatalf("the outcome is %s", r.GetJson())
		}
		if strings.Contains(r.GetReason(), hook.ErrCircuitOpen.Error()) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the outcome is still %s", r.GetJson())
		}
	}
}
