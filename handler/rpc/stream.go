package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// errNoStream says that the server has no Stream, or that this one takes no more.
var errNoStream = errors.New("there is no stream")

// errEnded says that the server ended the stream in an orderly way. It has then
// begun none of the requests that it has not answered, see hooks.proto.
var errEnded = errors.New("it ended the stream without an answer")

// closeTime is how long a server may take to end a stream that we are done with.
const closeTime = 10 * time.Second

// call is a request on a stream.
type call struct {
	id      uint64
	request *hookwayv1.HandleRequest
	until   time.Time   // zero: for ever
	answer  chan result // has room for one
	sent    bool        // the writer has taken it
}

// result is what became of a call.
type result struct {
	decision *hookwayv1.Decision
	err      error
}

// stream asks about many events at once. One goroutine writes and one reads, so
// that a server which does not read delays no call beyond its time.
type stream struct {
	h    *Handler
	mark string // of its headers
	dial int64  // the connection it is on
	rpc  grpc.BidiStreamingClient[hookwayv1.StreamRequest, hookwayv1.StreamResponse]
	end  context.CancelFunc
	wake chan struct{} // has room for one: there is something to write

	mu       sync.Mutex
	calls    map[uint64]*call
	queue    []*call  // to be sent
	cancels  []uint64 // to be sent: calls that were sent, and are not waited for any more
	last     uint64   // id
	sending  uint64   // id that is being sent
	answered uint64   // how many responses came
	over     bool     // takes no more calls
	idle     *time.Timer
}

// newStream opens a stream. The context bounds the opening only.
func newStream(ctx context.Context, h *Handler, md metadata.MD, mark string) (*stream, error) {
	base, end := context.WithCancel(h.base)
	opened := context.AfterFunc(ctx, end)
	if md != nil {
		base = metadata.NewOutgoingContext(base, md)
	}
	dial := h.link.dials.Load()
	rpc, err := h.hooks.Stream(base)
	if !opened() {
		end()
		return nil, fmt.Errorf("it could not be connected to in time: %w", context.Cause(ctx))
	}
	if err != nil {
		end()
		return nil, err
	}
	s := &stream{h: h, mark: mark, dial: dial, rpc: rpc, end: end, wake: make(chan struct{}, 1), calls: map[uint64]*call{}}
	s.idle = time.AfterFunc(h.idle, func() { s.retireIdle() })
	return s, nil
}

// start begins to read and to write.
func (s *stream) start() {
	s.h.under.Add(2) // a call is under way, so Close does not wait yet
	go s.write()
	go s.read()
}

// ask sends a request and waits for its answer.
func (s *stream) ask(ctx context.Context, request *hookwayv1.HandleRequest) (*hookwayv1.Decision, error) {
	c := &call{request: request, answer: make(chan result, 1)}
	c.until, _ = ctx.Deadline()
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return nil, errNoStream
	}
	s.idle.Stop()
	s.last++
	c.id = s.last
	s.calls[c.id] = c
	s.queue = append(s.queue, c)
	s.mu.Unlock()
	s.nudge()
	select {
	case r := <-c.answer:
		return r.decision, r.err
	case <-ctx.Done():
		s.abandon(c)
		return nil, ctx.Err()
	}
}

func (s *stream) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// abandon takes a call back. When its time was too short even to send it, the
// server may not be reading any more: this stream gets no more calls.
func (s *stream) abandon(c *call) {
	s.mu.Lock()
	if _, waiting := s.calls[c.id]; waiting && c.sent {
		s.cancels = append(s.cancels, c.id)
	}
	stuck := !c.sent || s.sending == c.id
	s.over = s.over || stuck
	s.remove(c.id)
	s.mu.Unlock()
	if stuck {
		s.h.forget(s, false)
	}
	s.nudge()
}

// remove forgets a call. The lock is held.
func (s *stream) remove(id uint64) {
	delete(s.calls, id)
	if len(s.calls) > 0 {
		return
	}
	if s.over && s.sending != 0 {
		s.end() // no call is left on it
		return
	}
	s.idle.Reset(s.h.idle)
}

// retireIdle ends an unused stream, and reports whether it did.
func (s *stream) retireIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) > 0 {
		return false
	}
	s.over = true
	s.nudge()
	return true
}

// next returns what is to be written, or nil if that is nothing.
func (s *stream) next() (request *hookwayv1.StreamRequest, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending = 0
	if len(s.cancels) > 0 {
		id := s.cancels[0]
		s.cancels, s.sending = s.cancels[1:], id
		return &hookwayv1.StreamRequest{Id: id, Kind: &hookwayv1.StreamRequest_Cancel{Cancel: &hookwayv1.Cancel{Reason: "no call waits for the answer any more"}}}, false
	}
	for len(s.queue) > 0 {
		c := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		if s.calls[c.id] == nil {
			continue // no call waits for it any more
		}
		c.sent, s.sending = true, c.id
		request := &hookwayv1.StreamRequest{Id: c.id, Kind: &hookwayv1.StreamRequest_Handle{Handle: c.request}}
		if !c.until.IsZero() {
			request.Timeout = durationpb.New(max(0, time.Until(c.until)))
		}
		return request, false
	}
	return nil, s.over && len(s.calls) == 0
}

// write sends what there is to send. An error is the reader's to explain.
func (s *stream) write() {
	defer s.h.under.Done()
	for {
		request, done := s.next()
		switch {
		case done:
			s.h.forget(s, false)
			if s.rpc.CloseSend() == nil {
				s.leave()
			}
			return
		case request != nil:
			if s.rpc.Send(request) != nil {
				return
			}
		default:
			select {
			case <-s.wake:
			case <-s.rpc.Context().Done():
				return
			}
		}
	}
}

// leave waits for the server to end the stream, but not for ever.
func (s *stream) leave() {
	t := time.NewTimer(closeTime)
	defer t.Stop()
	select {
	case <-t.C:
		s.end()
	case <-s.rpc.Context().Done():
	}
}

// read hands out the answers.
func (s *stream) read() {
	defer s.h.under.Done()
	for {
		response, err := s.rpc.Recv()
		if err == nil {
			err = s.deliver(response)
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// deliver returns a call its answer. Answers that are not waited for any more are
// dropped; those that were not asked for are a mistake.
func (s *stream) deliver(response *hookwayv1.StreamResponse) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := response.GetId()
	if s.answered++; id == 0 || id > s.last || s.answered > s.last {
		return fmt.Errorf("it answers request %d, which was never asked, or asked once and answered twice", id)
	}
	c := s.calls[id]
	if c == nil {
		return nil
	}
	s.remove(id)
	switch kind := response.GetKind().(type) {
	case *hookwayv1.StreamResponse_Decision:
		c.answer <- result{decision: kind.Decision}
	case *hookwayv1.StreamResponse_Failure:
		c.answer <- result{err: &failed{kind.Failure.GetMessage()}}
	default:
		if err := mistyped(response); err != nil {
			c.answer <- result{err: err}
			return nil
		}
		c.answer <- result{err: errors.New("its answer has neither a decision nor a failure")}
	}
	return nil
}

// fail ends the stream, and all calls on it.
func (s *stream) fail(err error) {
	s.mu.Lock()
	s.over = true
	s.idle.Stop()
	calls := s.calls
	s.calls = map[uint64]*call{}
	missing := status.Code(err) == codes.Unimplemented && s.answered == 0
	s.mu.Unlock()
	switch {
	case missing:
		err = errNoStream
	case errors.Is(err, io.EOF):
		err = errEnded
	}
	s.h.forget(s, missing) // before the calls fail, which may ask again at once
	for _, c := range calls {
		c.answer <- result{err: err}
	}
	s.end()
}
