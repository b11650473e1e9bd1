package api

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/judge"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// Register adds a hook that a server answers, or that always decides the same.
func (s *Service) Register(ctx context.Context, r *hookwayv1.RegisterRequest) (*hookwayv1.RegisterResponse, error) {
	h, err := hookOf(r.GetHook())
	cwd, wrong := folder(r.GetCwd())
	var spec specReader
	lease, _ := spec.duration("lease", r.GetLease(), hook.MaxTimeout*365)
	if err = errors.Join(err, wrong, errors.Join(spec.errs...)); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	h.Origin = "registered"
	var t *target
	switch k := r.GetHandler().(type) {
	case *hookwayv1.RegisterRequest_Decision:
		h.Handler, err = fixed(&h, k.Decision)
	case *hookwayv1.RegisterRequest_Target:
		t, err = s.dial(k.Target, h)
		h.Handler = t
	default:
		err = errors.New("the hook has no handler; it needs a target, such as unix:///run/guard.sock, or a decision")
	}
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	_, replaced, err := s.hooks.put(ctx, cwd, h, lease, func(*registration) {
		if t != nil {
			t.retire()
		}
	})
	if err != nil {
		if t != nil {
			t.retire()
		}
		return nil, registerError(err)
	}
	s.options.Log.Warn(fmt.Sprintf("hook %s is registered for %s%s", h.ID, strings.Join(h.Events, ", "), in(cwd)))
	return &hookwayv1.RegisterResponse{Id: h.ID, Replaced: replaced}, nil
}

func in(cwd string) string {
	if cwd == "" {
		return ""
	}
	return " in " + cwd
}

// dial makes the handler of a target.
func (s *Service) dial(to string, h hook.Hook) (*target, error) {
	if s.options.Dial == nil {
		return nil, errors.New("hooks with a target cannot be registered here")
	}
	t := &target{open: func() (Closing, error) { return s.options.Dial(to, h) }, ending: &s.closing}
	inner, err := t.open()
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	t.inner = inner
	return t, nil
}

// registerError is the status of a hook that could not be registered.
func registerError(err error) error {
	var mistake *judge.RequestError
	switch {
	case errors.As(err, &mistake):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, errTooMany):
		return status.Error(codes.ResourceExhausted, err.Error())
	case errors.Is(err, errClosed):
		return errEnding
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Internal, "the hook could not be registered: "+err.Error())
}

// Unregister takes a registered hook away, an attached one, too.
func (s *Service) Unregister(ctx context.Context, r *hookwayv1.UnregisterRequest) (*hookwayv1.UnregisterResponse, error) {
	if r.GetId() == "" {
		return nil, status.Error(codes.InvalidArgument, "id is missing; give the one that the hook was registered with")
	}
	cwd, err := folder(r.GetCwd())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	id := plainID(r.GetId())
	found := s.hooks.takeAt(ctx, cwd, id)
	if found {
		s.options.Log.Warn(fmt.Sprintf("hook %s is unregistered%s", id, in(cwd)))
	}
	return &hookwayv1.UnregisterResponse{Found: found}, nil
}
