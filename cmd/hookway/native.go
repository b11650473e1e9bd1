package main

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/session"
)

// shareSession ties a session to the hooks that its agent calls by itself. Without
// a place to share, the begin and the end are left to the agent, and text is typed.
func (a *app) shareSession(own attached, id, name string, tell func(string)) (session.AgentHooks, func()) {
	if !own.native {
		return nil, func() {}
	}
	_, state, err := config.Places(a.getenv)
	if err == nil {
		var w *judge.Wrapped
		if w, err = judge.Wrap(state, id, name, own.agent, tell); err == nil {
			return shared{w}, func() { _ = w.Close() }
		}
	}
	tell(err.Error())
	return nil, func() {}
}

// shared says to a session what its agent's hooks tell.
type shared struct{ wrapped *judge.Wrapped }

func (s shared) Begin(text string) session.Parcel { return parcelOf(s.wrapped.Begin(text)) }

func (s shared) Offer(text string, behind session.Parcel, still time.Duration, first func() bool) session.Parcel {
	before, _ := behind.(parcel)
	return parcelOf(s.wrapped.Offer(text, before.letter, still, first))
}

func (s shared) Heard() session.Heard { return session.Heard(s.wrapped.Heard()) }

func (s shared) End(ctx context.Context, fire func(context.Context)) { s.wrapped.End(ctx, fire) }

func (s shared) Said() []string { return s.wrapped.Said() }

func parcelOf(l *judge.Letter) session.Parcel {
	if l == nil {
		return nil
	}
	return parcel{l}
}

type parcel struct{ letter *judge.Letter }

func (p parcel) At() time.Time { return p.letter.At() }

func (p parcel) Await(ctx context.Context, still func() time.Duration) session.Fate {
	switch p.letter.Await(ctx, still) {
	case judge.Taken:
		return session.Taken
	case judge.Doubtful:
		return session.Doubtful
	}
	return session.Returned
}
