package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// raw is a message that is sent as it is: what a server with mistakes may send.
type raw []byte

// rawCodec sends raw messages, and all others as ever.
type rawCodec struct{ encoding.CodecV2 }

func (c rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	if r, ok := v.(raw); ok {
		return mem.BufferSlice{mem.SliceBuffer(r)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func rawServer() grpc.ServerOption {
	return grpc.ForceServerCodecV2(rawCodec{encoding.GetCodecV2(encodingproto.Name)})
}

// spoken is an answer in JSON as the Decision of a server that makes one of it:
// names become fields, and values what they are. What no Decision can be is sent
// as it stands.
func spoken(answer []byte) []byte {
	text := strings.TrimPrefix(string(answer), "\ufeff")
	var in map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &in) != nil || in == nil {
		return answer
	}
	d := &hookwayv1.Decision{Modified: in["modified"], Result: in["result"], Metadata: in["metadata"]}
	for name, field := range map[string]*string{"reason": &d.Reason, "user_message": &d.UserMessage, "inject": &d.Inject} {
		if in[name] != nil && json.Unmarshal(in[name], field) != nil {
			return append(protowire.AppendTag(nil, 2, protowire.VarintType), 1) // no text at all
		}
	}
	if delay := in["retry_delay_ms"]; delay != nil {
		var ms float64
		if json.Unmarshal(delay, &ms) != nil {
			return append(protowire.AppendTag(nil, 6, protowire.BytesType), delay...)
		}
		d.RetryDelay = durationpb.New(time.Duration(ms) * time.Millisecond)
	}
	if action := in["action"]; action != nil {
		var name string
		if json.Unmarshal(action, &name) != nil {
			d.Action = 7
		} else if n, known := hookwayv1.Action_value["ACTION_"+strings.ToUpper(name)]; known {
			d.Action = hookwayv1.Action(n)
		} else {
			d.Action = 99
		}
	}
	out, err := proto.Marshal(d)
	if err != nil {
		return answer
	}
	return out
}

// candidate is the far side of the exam.
type candidate struct {
	hookwayv1.UnimplementedHooksServer
	behaviour hooktest.Behaviour
	crash     func()
	streams   bool
}

func (c *candidate) perform(ctx context.Context, event []byte) ([]byte, error) {
	answer, err := c.behaviour.Perform(ctx, event)
	if errors.Is(err, hooktest.ErrCrash) {
		c.crash()
	}
	return spoken(answer), err
}

// handleRaw is Handle, but that it reads the event only if it is not deaf.
func (c *candidate) handleRaw(_ any, rpc grpc.ServerStream) error {
	var request hookwayv1.HandleRequest
	if c.behaviour.Kind != hooktest.Deaf {
		if err := rpc.RecvMsg(&request); err != nil {
			return err
		}
	}
	answer, err := c.perform(rpc.Context(), request.GetEvent().GetJson())
	if err != nil {
		return status.Error(codes.Unknown, err.Error())
	}
	return rpc.SendMsg(raw(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), answer)))
}

func (c *candidate) streamRaw(_ any, rpc grpc.ServerStream) error {
	if !c.streams {
		return status.Error(codes.Unimplemented, "method Stream not implemented")
	}
	if c.behaviour.Kind == hooktest.Deaf { // it can only guess what it is asked
		if err := c.reply(rpc, 1, nil, rpc.Context()); err != nil {
			return err
		}
		<-rpc.Context().Done()
		return nil
	}
	s := &talk{cancels: map[uint64]context.CancelFunc{}}
	defer s.wait()
	for {
		var request hookwayv1.StreamRequest
		if err := rpc.RecvMsg(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		s.take(rpc.Context(), &request, func(ctx context.Context) {
			_ = c.reply(rpc, request.GetId(), request.GetHandle().GetEvent().GetJson(), ctx) // a client that went away gets no answer
		})
	}
}

// reply answers one request of a stream.
func (c *candidate) reply(rpc grpc.ServerStream, id uint64, event []byte, ctx context.Context) error {
	answer, err := c.perform(ctx, event)
	if err != nil {
		return rpc.SendMsg(&hookwayv1.StreamResponse{Id: id, Kind: &hookwayv1.StreamResponse_Failure{Failure: &hookwayv1.Failure{Message: err.Error()}}})
	}
	out := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), id)
	return rpc.SendMsg(raw(protowire.AppendBytes(protowire.AppendTag(out, 2, protowire.BytesType), answer)))
}

// talk are the requests of a stream that are under way.
type talk struct {
	mu      sync.Mutex
	under   sync.WaitGroup
	cancels map[uint64]context.CancelFunc
}

func (s *talk) wait() {
	s.mu.Lock()
	for _, cancel := range s.cancels {
		cancel()
	}
	s.mu.Unlock()
	s.under.Wait()
}

func (s *talk) take(ctx context.Context, request *hookwayv1.StreamRequest, answer func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if request.GetCancel() != nil {
		if cancel := s.cancels[request.GetId()]; cancel != nil {
			cancel()
		}
		return
	}
	ctx, s.cancels[request.GetId()] = context.WithCancel(ctx)
	s.under.Go(func() { answer(ctx) })
}

// turned lets one goroutine send at a time, as gRPC demands.
type turned struct {
	grpc.ServerStream
	mu sync.Mutex
}

func (t *turned) SendMsg(m any) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ServerStream.SendMsg(m)
}

// far serves a candidate under the name of the Hooks service.
func far(t *testing.T, target string, c *candidate) {
	l := listen(t, target)
	c.crash = l.breakAll
	s := grpc.NewServer(rawServer(), grpc.MaxRecvMsgSize(maxEvent), grpc.StreamInterceptor(
		func(srv any, rpc grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			return next(srv, &turned{ServerStream: rpc})
		}))
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: hookwayv1.Hooks_ServiceDesc.ServiceName, HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{
			{StreamName: "Handle", Handler: c.handleRaw, ClientStreams: true, ServerStreams: true},
			{StreamName: "Stream", Handler: c.streamRaw, ClientStreams: true, ServerStreams: true},
		},
	}, c)
	run(t, l, s)
}

func TestHandlePassesTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		target := place(t)
		far(t, target, &candidate{behaviour: b})
		return newHandler(t, Config{Target: target})
	})
}

func TestStreamPassesTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		target := place(t)
		far(t, target, &candidate{behaviour: b, streams: true})
		return newHandler(t, Config{Target: target})
	})
}

// TestServersPassTheExam: what Server serves. It is of Go, so that what is no
// decision comes about here as the handler's own error.
func TestServersPassTheExam(t *testing.T) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		target := place(t)
		l := listen(t, target)
		server := &Server{Handler: hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			encoded, err := wire.Encode(ev)
			if err != nil {
				return hook.Decision{}, err
			}
			answer, err := b.Perform(ctx, encoded.Bytes())
			if errors.Is(err, hooktest.ErrCrash) {
				l.breakAll()
			}
			if err != nil {
				return hook.Decision{}, err
			}
			return wire.DecodeDecision(ev, answer, hook.Profile{})
		})}
		s := grpc.NewServer(grpc.MaxRecvMsgSize(maxEvent))
		server.Register(s)
		run(t, l, s)
		return newHandler(t, Config{Target: target})
	})
}
