package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// Bounds of a stream that is served: requests, and their bytes, that are not
// answered yet.
const (
	maxPending      = 1024
	maxPendingBytes = maxEvent
)

// errCancelled is the cause of a request that was taken back.
var errCancelled = errors.New("the request was taken back")

// Stream answers events in any order until the client ends the stream or
// the server stops; then it takes no more, and answers those it has begun.
func (s *service) Stream(rpc grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]) error {
	ctx, cancel := context.WithCancel(rpc.Context())
	defer cancel()
	c := &served{server: s.server, rpc: rpc, pending: map[uint64]context.CancelCauseFunc{}}
	c.room = sync.NewCond(&c.mu)
	defer context.AfterFunc(ctx, c.wake)()
	ended := make(chan error, 1)
	go func() { ended <- c.receive(ctx) }()
	var err error
	select {
	case err = <-ended:
	case <-s.stop:
		c.refuse()
	}
	if err != nil {
		cancel() // there is no client to answer
	}
	c.under.Wait()
	return err
}

// served is a stream under way.
type served struct {
	server *Server
	rpc    grpc.BidiStreamingServer[hookwayv1.StreamRequest, hookwayv1.StreamResponse]
	under  sync.WaitGroup

	send sync.Mutex // only one may send at a time

	mu      sync.Mutex
	room    *sync.Cond // bytes became less
	bytes   int
	closed  bool
	pending map[uint64]context.CancelCauseFunc
}

// receive reads requests until there are no more.
func (c *served) receive(ctx context.Context) error {
	for {
		request, err := c.rpc.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch request.GetKind().(type) {
		case *hookwayv1.StreamRequest_Handle:
			c.begin(ctx, request)
		case *hookwayv1.StreamRequest_Cancel:
			c.cancel(request.GetId())
		default:
			c.answer(&hookwayv1.StreamResponse{Id: request.GetId(), Kind: failureOf("the request is of a kind that is unknown here")})
		}
	}
}

// begin starts a request; with too many there it fails.
func (c *served) begin(ctx context.Context, request *hookwayv1.StreamRequest) {
	id, size := request.GetId(), proto.Size(request)
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	for c.bytes > maxPendingBytes && ctx.Err() == nil {
		c.room.Wait()
	}
	if c.closed {
		c.mu.Unlock()
		cancel(nil)
		return
	}
	_, twice := c.pending[id]
	full := len(c.pending) >= maxPending
	if !twice && !full {
		c.pending[id] = cancel
		c.bytes += size
		c.under.Add(1)
	}
	c.mu.Unlock()
	switch {
	case twice:
		cancel(nil)
		c.answer(&hookwayv1.StreamResponse{Id: id, Kind: failureOf(fmt.Sprintf("request %d is not answered yet", id))})
	case full:
		cancel(nil)
		c.answer(&hookwayv1.StreamResponse{Id: id, Kind: failureOf(fmt.Sprintf("%d events are waiting here already", maxPending))})
	default:
		go c.run(ctx, cancel, request, size)
	}
}

// run answers a request, unless no call waits for it any more.
func (c *served) run(ctx context.Context, cancel context.CancelCauseFunc, request *hookwayv1.StreamRequest, size int) {
	defer c.under.Done()
	defer cancel(nil)
	if request.GetTimeout() != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, request.GetTimeout().AsDuration())
		defer stop()
	}
	id := request.GetId()
	d, err := c.server.decide(ctx, request.GetHandle())
	c.mu.Lock()
	delete(c.pending, id)
	c.bytes -= size
	c.room.Broadcast()
	c.mu.Unlock()
	switch {
	case err == nil:
		c.answer(&hookwayv1.StreamResponse{Id: id, Kind: &hookwayv1.StreamResponse_Decision{Decision: d}})
	case ctx.Err() == nil:
		c.answer(&hookwayv1.StreamResponse{Id: id, Kind: failureOf(hook.LogLine(err.Error()))})
	}
}

// answer sends a response. An error means that the stream has ended, which the
// reader sees, too.
func (c *served) answer(response *hookwayv1.StreamResponse) {
	c.send.Lock()
	defer c.send.Unlock()
	_ = c.rpc.Send(response)
}

func failureOf(text string) *hookwayv1.StreamResponse_Failure {
	return &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{Message: clean(text)}}
}

func (c *served) cancel(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.pending[id]; cancel != nil {
		cancel(errCancelled)
	}
}

// refuse makes that no more requests are begun.
func (c *served) refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// wake lets a reader that waits for room see that the stream has ended.
func (c *served) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room.Broadcast()
}
