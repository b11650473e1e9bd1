package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// Service is the gRPC form of an engine: hookway.v1.Engine. NewService makes one.
type Service struct {
	hookwayv1.UnimplementedEngineServer

	engine   Engine
	options  ServiceOptions
	hooks    *registry
	health   *health.Server
	closing  sync.WaitGroup // handlers of targets
	stopOnce sync.Once
	stopping chan struct{} // closed when streams are to end

	mu      sync.Mutex
	servers []*grpc.Server
}

// ServiceOptions are what a Service may need. The zero value needs nothing.
type ServiceOptions struct {
	// Dial makes the handler of a hook that is registered with a target. Nil
	// refuses such hooks.
	Dial func(target string, h hook.Hook) (Closing, error)

	// Admit decides whether a call may be made, by the connection that it came in
	// on and by its metadata. The error says why not: a status, or the text of
	// one. Nil lets every call in.
	Admit func(from net.Conn, md metadata.MD) error

	// From completes what is fired with what is known of who fires. It may be nil.
	From func(from net.Conn, f *judge.Firing)

	// Work counts a request in that hooks are run for, and gives the context that
	// they are to have, and what counts the request out: with the size of its event.
	// The error, a status, is why it is not begun. It may be nil.
	Work func(ctx context.Context) (working context.Context, done func(size int), err error)

	// Large waits for the turn of an event that is a large one; there are few of
	// them at a time. It may be nil.
	Large func(ctx context.Context) (giveBack func(), err error)

	// Log gets what becomes of hooks. Nil drops it.
	Log *slog.Logger
}

// NewService makes the service of an engine.
func NewService(e Engine, o ServiceOptions) *Service {
	o.Log = logline.Or(o.Log)
	s := &Service{engine: e, options: o, health: health.NewServer(), stopping: make(chan struct{})}
	s.hooks = newRegistry(e, o.Log)
	return s
}

// Registered is how many hooks are registered: they would be lost with the daemon.
func (s *Service) Registered() int { return s.hooks.count() }

var errEnding = status.Error(codes.Unavailable, errClosed.Error())

// Fire fires an event and gives the outcome.
func (s *Service) Fire(ctx context.Context, r *hookwayv1.FireRequest) (*hookwayv1.FireResponse, error) {
	f, err := firingOf(r)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if s.options.From != nil {
		s.options.From(connOf(ctx), &f)
	}
	if s.options.Work != nil {
		working, done, err := s.options.Work(ctx)
		if err != nil {
			return nil, err
		}
		defer done(len(f.Payload))
		ctx = working
	}
	if s.options.Large != nil && len(f.Payload) > largeSize {
		giveBack, err := s.options.Large(ctx)
		if err != nil {
			return nil, status.Error(codes.ResourceExhausted, err.Error()+"; try again")
		}
		defer giveBack()
	}
	out, err := s.engine.Fire(ctx, f)
	if err != nil {
		return nil, fireError(ctx, err)
	}
	return fired(out)
}

// firingOf reads a request.
func firingOf(r *hookwayv1.FireRequest) (judge.Firing, error) {
	ev := r.GetEvent()
	f := judge.Firing{
		Event: ev.GetName(), Payload: ev.GetJson(), ID: ev.GetId(), Session: ev.GetSessionId(), Agent: ev.GetAgent(),
		Source: ev.GetSource(), CWD: ev.GetCwd(), DryRun: r.GetDryRun(),
	}
	if f.Event == "" {
		return f, errors.New("event.name is missing; give a name as PreToolUse, or an alias of it")
	}
	if len(bytes.TrimSpace(f.Payload)) == 0 {
		f.Payload = []byte("{}")
	}
	if ev.GetTime() != nil {
		if err := ev.GetTime().CheckValid(); err != nil {
			return f, fmt.Errorf("event.time is not a time: %w", err)
		}
		f.Time = ev.GetTime().AsTime()
	}
	if f.Source == "" {
		f.Source = "grpc"
	}
	if _, err := folder(f.CWD); err != nil {
		return f, fmt.Errorf("event.%w", err)
	}
	var err error
	f.Env, err = variables(r.GetEnv())
	return f, err
}

// fireError is the status of an event that got no outcome.
func fireError(ctx context.Context, err error) error {
	var mistake *judge.RequestError
	switch {
	case errors.As(err, &mistake):
		return status.Error(codes.InvalidArgument, err.Error())
	case context.Cause(ctx) == errEnding:
		return errEnding
	case errors.Is(err, context.Canceled), ctx.Err() == context.Canceled:
		return status.Error(codes.Canceled, err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error()+"; give the call a longer deadline, or the hooks a shorter timeout")
	case errors.Is(err, errClosed):
		return errEnding
	}
	return status.Error(codes.Internal, "hookway could not decide: "+err.Error())
}

// connOf is the connection that a call came in on; nil if it is not known.
func connOf(ctx context.Context) net.Conn {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	info, _ := p.AuthInfo.(connInfo)
	return info.conn
}
