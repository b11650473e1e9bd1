package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// DefaultConcurrency is how many events a server handles at once.
const DefaultConcurrency = 64

// stopTime is how long events under way have when a server stops.
const stopTime = 10 * time.Second

// Server is a Hooks service of handlers in Go. Set its fields before it is used.
type Server struct {
	// Handler is asked about every event for which Handlers has none.
	Handler hook.Handler

	// Handlers are asked by the id of the hook, for servers of several.
	Handlers map[string]hook.Handler

	// Lookup finds kinds of events. Nil knows hookway's own; every other name is an
	// event with any fields.
	Lookup func(name string) (*hook.EventInfo, error)

	// Concurrency is how many events are handled at once; more wait. Zero is
	// DefaultConcurrency.
	Concurrency int

	// Log gets what goes wrong, a clean line each. Nil drops it.
	Log *slog.Logger

	once  sync.Once
	slots chan struct{}
}

// Serve serves a handler until the context ends; see [Server.Serve].
func Serve(ctx context.Context, l net.Listener, h hook.Handler, options ...grpc.ServerOption) error {
	return (&Server{Handler: h}).Serve(ctx, l, options...)
}

// Serve serves with a gRPC server of its own, with the standard health service, until
// the context ends. Events under way then have ten seconds to be answered. It
// closes the listener. Options such as grpc.Creds come last and win.
func (s *Server) Serve(ctx context.Context, l net.Listener, options ...grpc.ServerOption) error {
	all := append([]grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxEvent), grpc.MaxConcurrentStreams(1024), grpc.MaxHeaderListSize(maxHeader),
		grpc.InitialWindowSize(256 << 10), grpc.InitialConnWindowSize(1 << 20),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
	}, options...)
	server := grpc.NewServer(all...)
	stop := make(chan struct{})
	hookwayv1.RegisterHooksServer(server, &service{server: s, stop: stop})
	state := health.NewServer()
	state.SetServingStatus(hookwayv1.Hooks_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, state)
	stopped := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		defer close(stopped)
		state.Shutdown()
		close(stop)
		last := time.AfterFunc(stopTime, server.Stop)
		defer last.Stop()
		server.GracefulStop()
	})
	err := server.Serve(l)
	if release() { // it ended by itself
		server.Stop()
		return err
	}
	<-stopped
	return nil
}

// Register adds the Hooks service to a gRPC server of the caller. Its streams
// end when their clients go, or the server stops.
func (s *Server) Register(r grpc.ServiceRegistrar) {
	hookwayv1.RegisterHooksServer(r, &service{server: s})
}

// Typed is a handler for events of one payload type. It has no opinion on others.
func Typed[P any](fn func(context.Context, *hook.Event[P]) (hook.Decision, error)) hook.Handler {
	return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		if e, ok := ev.(*hook.Event[P]); ok {
			return fn(ctx, e)
		}
		return hook.Continue(), nil
	})
}

// service is a Server as gRPC knows it.
type service struct {
	hookwayv1.UnimplementedHooksServer
	server *Server
	stop   <-chan struct{} // closed when streams are to end; nil: never
}

// Handle answers one event.
func (s *service) Handle(ctx context.Context, request *hookwayv1.HandleRequest) (*hookwayv1.HandleResponse, error) {
	d, err := s.server.decide(ctx, request)
	switch {
	case err == nil:
		return &hookwayv1.HandleResponse{Decision: d}, nil
	case ctx.Err() != nil:
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	return nil, status.Error(codes.Unknown, clean(hook.LogLine(err.Error())))
}

// decide asks the handler about an event, when it is its turn.
func (s *Server) decide(ctx context.Context, request *hookwayv1.HandleRequest) (d *hookwayv1.Decision, err error) {
	s.once.Do(func() {
		n := s.Concurrency
		if n <= 0 {
			n = DefaultConcurrency
		}
		s.slots = make(chan struct{}, n)
	})
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%d events are being handled already: %w", cap(s.slots), ctx.Err())
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the hook panicked: %v", p)
			s.log(fmt.Sprintf("hook %s: %v: %s", request.GetHook(), err, debug.Stack()))
		}
	}()
	h, ok := s.Handlers[request.GetHook()]
	if !ok {
		h = s.Handler
	}
	if h == nil {
		return nil, fmt.Errorf("there is no hook %q here", hook.LogLine(request.GetHook()))
	}
	ev, err := s.event(request.GetEvent())
	if err != nil {
		return nil, err
	}
	answer, err := h.Handle(ctx, ev)
	if err != nil {
		return nil, err
	}
	return message(ev, answer)
}

// event reads an event.
func (s *Server) event(e *hookwayv1.Event) (hook.AnyEvent, error) {
	lookup := func(named string) (*hook.EventInfo, error) {
		name := e.GetName()
		if name == "" {
			name = named
		}
		if s.Lookup != nil {
			return s.Lookup(name)
		}
		info, err := hook.Lookup(name)
		if err != nil && name != "" {
			return hook.Custom(name, hook.May{Change: []string{"*"}, Allow: true, Ask: true, Block: true, Retry: true, Answer: true, Inject: true}), nil
		}
		return info, err
	}
	if len(e.GetJson()) == 0 {
		return nil, errors.New("the request has no event")
	}
	ev, err := wire.DecodeEvent(e.GetJson(), lookup)
	if err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	return ev, nil
}

func (s *Server) log(line string) {
	if s.Log != nil {
		s.Log.Error(hook.LogLine(line))
	}
}
