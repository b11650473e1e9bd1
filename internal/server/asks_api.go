package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/process"
)

// asksAPI gives programs what is asked, and takes answers of those that have a credential.
type asksAPI struct{ home *Home }

func (a asksAPI) with(ctx context.Context, code string, do func(*approve.Store) error) (err error) {
	s, err := a.home.Approvals(ctx)
	if err != nil {
		return err
	}
	if s == nil {
		return &approve.RefusedError{Code: code}
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

// List gives the requests of the last hour.
func (a asksAPI) List(ctx context.Context) (all []approve.Request, err error) {
	err = a.with(ctx, "", func(s *approve.Store) error {
		all, err = s.List(ctx)
		return err
	})
	var none *approve.RefusedError
	if errors.As(err, &none) {
		err = nil
	}
	return all, err
}

// Get gives one.
func (a asksAPI) Get(ctx context.Context, code string) (r approve.Request, err error) {
	err = a.with(ctx, code, func(s *approve.Store) error {
		r, err = s.Get(ctx, code)
		return err
	})
	return r, err
}

// Answer answers one, if the owner has minted the credential. Either is on record. A yes is
// for as many calls as the program says that it has seen waiting; else for one.
func (a asksAPI) Answer(ctx context.Context, said api.Answering) (r approve.Request, err error) {
	err = a.with(ctx, said.Code, func(s *approve.Store) error {
		if r, err = s.Get(ctx, said.Code); err != nil {
			return err
		}
		by, err := a.by(ctx, &r, said)
		if err != nil {
			return err
		}
		seen := r
		seen.Waiters = max(said.Calls, 1)
		answered, err := s.Answer(ctx, seen, approve.Answer{Yes: said.Yes, Scope: said.Scope, Note: said.Note, By: by, From: said.From})
		if err == nil {
			r = answered
		}
		return err
	})
	record := answerRecord(&r, said.From, err)
	record.What, record.Source = said.Code, sourceOf(said.Asker)
	a.home.Answered(ctx, record)
	return r, err
}

// Standing gives the answers for more than one call.
func (a asksAPI) Standing(ctx context.Context) (all []approve.Standing, err error) {
	s, err := a.home.Approvals(ctx)
	if s == nil || err != nil {
		return nil, err
	}
	all, err = s.Standing(ctx)
	return all, errors.Join(err, s.Close())
}

// Revoke takes one back, for the owner alone: an agent could have calls asked about anew
// until somebody is tired of it. What was a no lets calls pass again that it stopped, and
// takes the PIN where a yes does. Either is on record, and so is who may not.
func (a asksAPI) Revoke(ctx context.Context, r api.Revoking) (gone approve.Standing, err error) {
	seen, by := approve.Standing{}, ""
	err = a.with(ctx, r.Code, func(s *approve.Store) error {
		if seen, err = s.Stands(ctx, r.Code); err != nil {
			return err
		}
		if by, err = a.home.owner(ctx, r.Asker, !seen.Yes); err != nil {
			return err
		}
		gone, err = s.Revoke(ctx, seen)
		return err
	})
	a.home.Answered(ctx, revokedRecord(&seen, r, by, err))
	return gone, err
}

// revokedRecord is the record of an answer that was taken back, or of why it was not.
func revokedRecord(s *approve.Standing, r api.Revoking, by string, refused error) audit.Record {
	record := audit.Record{
		Time: time.Now(), Event: audit.Approval, Source: sourceOf(r.Asker), What: "revoke " + r.Code,
		Agent: s.Agent, Session: s.Session, Workspace: s.Workspace, Tool: s.Tool, Rule: s.Rule,
		Metadata: map[string]any{"revokes": r.Code, "from": r.From},
	}
	if refused != nil {
		record.Action, record.By, record.Reason = hook.ActionBlock.String(), "hookway", refused.Error()
		return record
	}
	word := "no"
	record.Action, record.By = hook.ActionAllow.String(), by
	if s.Yes { // calls are asked about again
		record.Action, word = hook.ActionBlock.String(), "yes"
	}
	record.Reason = fmt.Sprintf("the answer %s to %s was taken back: %s", word, s.For(), r.From)
	return record
}

// by is who answers: the owner in their page, with their PIN where one is wanted to allow
// something, or who has a credential.
func (a asksAPI) by(ctx context.Context, r *approve.Request, said api.Answering) (string, error) {
	if said.Yes && said.Owner != nil && r.Place != process.Namespaces() { // as in a terminal
		return "", &api.NotMintedError{Text: "its call was stopped in another container, or another user namespace; answer it there"}
	}
	return a.home.owner(ctx, said.Asker, said.Yes)
}
