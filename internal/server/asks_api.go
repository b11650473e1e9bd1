package server

import (
	"context"
	"errors"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
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

// Answer answers one, if the owner has minted the credential. Either is on record. It is
// for one call: nothing tells how many the program has seen waiting.
func (a asksAPI) Answer(ctx context.Context, said api.Answering) (r approve.Request, err error) {
	err = a.with(ctx, said.Code, func(s *approve.Store) error {
		if r, err = s.Get(ctx, said.Code); err != nil {
			return err
		}
		minted, err := a.home.Minted()
		if err != nil {
			return err
		}
		who, ok := minted.Credential(said.Credential, time.Now())
		if !ok {
			return &api.NotMintedError{Text: "an answer needs a credential in the header Hookway-Credential, which the owner makes in a terminal of their own: hookway approvals mint --http NAME"}
		}
		seen := r
		seen.Waiters = min(r.Waiters, 1)
		answered, err := s.Answer(ctx, seen, approve.Answer{Yes: said.Yes, Scope: said.Scope, Note: said.Note, By: who.Name, From: said.From})
		if err == nil {
			r = answered
		}
		return err
	})
	record := answerRecord(&r, said.From, err)
	record.What, record.Source = said.Code, "http"
	a.home.Answered(ctx, record)
	return r, err
}
