package api

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// performer is a program that attaches a hook and behaves as the exam wants. When
// it crashes, another one is started in its place, as a service manager does.
type performer struct {
	t      *testing.T
	client hookwayv1.EngineClient
	b      hooktest.Behaviour
	ended  context.Context
}

// run attaches the hook and answers until the stream ends. there is closed when the
// hook is attached.
func (p *performer) run(there func()) {
	ctx, crash := context.WithCancel(p.ended)
	defer crash()
	stream, err := p.client.Attach(ctx, largest)
	if err != nil {
		return
	}
	var sends, under sync.Mutex
	var calls sync.WaitGroup
	defer calls.Wait()
	send := func(m *hookwayv1.AttachRequest) {
		sends.Lock()
		defer sends.Unlock()
		_ = stream.Send(m)
	}
	send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{Hook: &hookwayv1.HookSpec{Id: "exam", On: []string{"*"}}}}})
	cancels := map[uint64]context.CancelFunc{}
	for {
		m, err := stream.Recv()
		if err != nil {
			crash()
			return
		}
		if m.GetAttached() != "" {
			there()
		}
		ask := m.GetAsk()
		switch {
		case ask.GetCancel() != nil:
			under.Lock()
			if cancel := cancels[ask.GetId()]; cancel != nil {
				cancel()
			}
			under.Unlock()
		case ask.GetHandle() != nil:
			event, cancel := context.WithCancel(ctx)
			under.Lock()
			cancels[ask.GetId()] = cancel
			under.Unlock()
			calls.Go(func() {
				defer cancel()
				answer, err := p.b.Perform(event, ask.GetHandle().GetEvent().GetJson())
				if errors.Is(err, hooktest.ErrCrash) {
					crash()
					return
				}
				r := said(answer, err)
				r.Id = ask.GetId()
				send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: r}})
			})
		}
	}
}

// said is an answer in JSON as a program has to give it on a stream: what is no
// decision at all cannot be said there, and is a failure.
func said(answer []byte, err error) *hookwayv1.StreamResponse {
	var d struct {
		Action       string          `json:"action"`
		Reason       string          `json:"reason"`
		UserMessage  string          `json:"user_message"`
		Modified     json.RawMessage `json:"modified"`
		Result       json.RawMessage `json:"result"`
		RetryDelayMS int64           `json:"retry_delay_ms"`
		Inject       string          `json:"inject"`
		Metadata     json.RawMessage `json:"metadata"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(trimBOM(answer)), &d)
	}
	var action hook.Action
	if err == nil && d.Action != "" {
		if action, err = hook.ParseAction(d.Action); err != nil {
			action, err = 99, nil // who writes the number by hand can say anything
		}
	}
	if err == nil && string(answer) == "null" {
		err = errors.New("null is no answer")
	}
	if err != nil {
		return &hookwayv1.StreamResponse{Kind: &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{Message: err.Error()}}}
	}
	out := &hookwayv1.Decision{
		Action: hookwayv1.Action(action), Reason: d.Reason, UserMessage: d.UserMessage, Modified: d.Modified, Result: d.Result, Inject: d.Inject, Metadata: d.Metadata,
	}
	if d.RetryDelayMS != 0 {
		out.RetryDelay = &durationpb.Duration{Nanos: int32(d.RetryDelayMS) * 1e6}
	}
	return decisionAnswer(out)
}

func trimBOM(text []byte) string {
	const bom = "\ufeff"
	if s := string(text); len(s) >= len(bom) && s[:len(bom)] == bom {
		return s[len(bom):]
	}
	return string(text)
}

// replaced waits, after a crash, until the hook is attached again.
type replaced struct {
	b     *bench
	there chan struct{}
}

func (r *replaced) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	for {
		if h, ok := r.b.Get("exam"); ok {
			select {
			case <-h.Handler.(*asker).stream.over: // it crashed just now
			default:
				return h.Handler.Handle(ctx, ev)
			}
		}
		select {
		case <-r.there:
		case <-ctx.Done():
			return hook.Decision{}, ctx.Err()
		}
	}
}

func TestAttachedHooksPassTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		engine := new(bench)
		s, l := NewService(engine, ServiceOptions{}), socket(t)
		serve(t, s, l)
		ended, end := context.WithCancel(context.Background())
		p := &performer{t: t, client: hookwayv1.NewEngineClient(dialTo(t, l.Addr())), b: b, ended: ended}
		there := make(chan struct{}, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ended.Err() == nil {
				p.run(func() {
					select {
					case there <- struct{}{}:
					default:
					}
				})
			}
		}()
		t.Cleanup(func() {
			end()
			<-done
		})
		select {
		case <-there:
		case <-within(t).Done():
			t.Fatal("the hook was never attached")
		}
		return &replaced{engine, there}
	})
}
