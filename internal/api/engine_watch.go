package api

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/internal/judge"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

// Watch streams what is decided from now on, and what happens to hooks if that is asked for.
func (s *Service) Watch(r *hookwayv1.WatchRequest, g hookwayv1.Engine_WatchServer) error {
	cwd, err := folder(r.GetCwd())
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	if r.GetAfter() < 0 {
		return status.Error(codes.InvalidArgument, "after is negative; give the seq of the last record that you saw, or 0")
	}
	seen, err := s.engine.Follow(g.Context(), judge.WatchFilter{
		Session: r.GetSessionId(), Event: r.GetEvent(), CWD: cwd, After: r.GetAfter(), Hooks: r.GetHooks() || ofHooks(r.GetEvent()),
	})
	if err != nil {
		return watchError(err)
	}
	if err := g.SendHeader(nil); err != nil { // who waits for it misses nothing from now on
		return err
	}
	for {
		select {
		case one, more := <-seen:
			if !more {
				if err := g.Context().Err(); err != nil {
					return status.FromContextError(err).Err()
				}
				return errEnding
			}
			m, err := watched(one)
			if err != nil {
				return err
			}
			if m == nil {
				continue
			}
			if err := g.Send(m); err != nil {
				return err
			}
		case <-s.stopping:
			return errEnding
		}
	}
}

// watchError is the status of a watch that is not begun.
func watchError(err error) error {
	var mistake *judge.RequestError
	if errors.As(err, &mistake) {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return status.Error(codes.Unavailable, err.Error()) // too many watch, or there is no log: that may pass
}

// watched is a record, or what happened to a hook, as it is streamed. It may be nil.
func watched(one judge.Watched) (*hookwayv1.WatchResponse, error) {
	if one.Hook == nil {
		text, err := one.JSON()
		if err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		return &hookwayv1.WatchResponse{Json: text, Missed: uint64(one.Missed)}, nil
	}
	c := changed(one.Hook)
	if c == nil {
		return nil, nil
	}
	text, err := plainJSON(c)
	return &hookwayv1.WatchResponse{Hook: text, Missed: uint64(one.Hook.Missed)}, err
}
