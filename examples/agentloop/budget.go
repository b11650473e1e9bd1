package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// budget is a hook of the loop's own: it counts tokens, and stops the loop when
// they are used up.
type budget struct {
	most, used int
	stream     hookwayv1.Engine_AttachClient
	leave      context.CancelFunc
	done       chan struct{}
}

// attachBudget attaches it to this session, and returns when it is in force.
func (e *engine) attachBudget(ctx context.Context, most int) (*budget, error) {
	ctx, leave := context.WithCancel(e.calling(ctx))
	stream, err := e.client.Attach(ctx)
	if err != nil {
		leave()
		return nil, err
	}
	b := &budget{most: most, stream: stream, leave: leave, done: make(chan struct{})}
	err = stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Attach{Attach: &hookwayv1.Attachment{
		Hook: &hookwayv1.HookSpec{
			Id: "loop-budget", On: []string{"GenerateStart", "GenerateEnd"}, OnFailure: "block",
			Match: &hookwayv1.Matcher{Session: []string{e.session}},
		},
		Cwd: e.workspace,
	}}})
	var first *hookwayv1.AttachResponse
	if err == nil {
		first, err = stream.Recv()
	}
	if err == nil && first.GetRefused() != nil {
		err = errors.New(first.GetRefused().GetReason())
	}
	if err != nil {
		leave()
		return nil, fmt.Errorf("the budget is not attached: %w", err)
	}
	go b.answer()
	return b, nil
}

// answer answers until the stream ends. An answer has the id of its question; the
// order does not matter.
func (b *budget) answer() {
	defer close(b.done)
	for {
		m, err := b.stream.Recv()
		if err != nil {
			return
		}
		question := m.GetAsk().GetHandle()
		if question == nil {
			continue // no call waits for an answer any more, or the hook is gone
		}
		answer := &hookwayv1.StreamResponse{Id: m.GetAsk().GetId()}
		if d, err := b.decide(question.GetEvent()); err != nil {
			answer.Kind = &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{Message: err.Error()}}
		} else {
			answer.Kind = &hookwayv1.StreamResponse_Decision{Decision: d}
		}
		if b.stream.Send(&hookwayv1.AttachRequest{Kind: &hookwayv1.AttachRequest_Answer{Answer: answer}}) != nil {
			return
		}
	}
}

func (b *budget) decide(ev *hookwayv1.Event) (*hookwayv1.Decision, error) {
	if ev.GetName() == "GenerateStart" {
		if b.used >= b.most {
			return &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK, Reason: fmt.Sprintf("%d of %d tokens are used", b.used, b.most)}, nil
		}
		return &hookwayv1.Decision{}, nil
	}
	var result struct {
		Usage struct {
			TotalTokens int `json:"total_tokens"`
		}
	}
	if err := json.Unmarshal(ev.GetJson(), &result); err != nil {
		return nil, err
	}
	b.used += result.Usage.TotalTokens
	return &hookwayv1.Decision{}, nil
}

// close takes the hook away.
func (b *budget) close() {
	b.leave()
	<-b.done
}
