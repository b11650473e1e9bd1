package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/visible"
)

// answerAllAndSay takes one answer to all that a session asks, puts on record what was
// answered or refused, and says what comes of it.
func answerAllAndSay(ctx context.Context, a *app, said answer, command string) error {
	all, err := takeAnswerToAll(ctx, a, said)
	if err != nil {
		a.home.Answered(ctx, approvalRecord(a, command, &ownersWord{}, err))
		return err
	}
	for i := range all {
		a.home.Answered(ctx, approvalRecord(a, command, answeredNow(&all[i]), nil))
	}
	if a.json {
		return a.print(map[string]any{"requests": all})
	}
	word := "Refused"
	if said.yes {
		word = "Allowed"
	}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", word, visible.Count(len(all), "call"))
	return err
}

// takeAnswerToAll asks the owner about all open calls of one session, and answers them.
func takeAnswerToAll(ctx context.Context, a *app, said answer) (all []approve.Request, err error) {
	code, err := approve.ParseCode(said.code)
	if err != nil {
		return nil, err
	}
	if said.scope != string(approve.ScopeOnce) {
		return nil, errors.New("--all goes with --scope once: each call is answered for itself")
	}
	not := "nothing was answered"
	terminal, err := a.openTerminal(not)
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	err = a.withApprovals(ctx, func(store *approve.Store) error {
		if store == nil {
			return &approve.RefusedError{Code: code}
		}
		seen, err := a.besides(ctx, store, code, said.yes)
		if err != nil {
			return fmt.Errorf("%s: %w", not, err)
		}
		for i := range seen {
			showRequest(terminal, &seen[i])
		}
		question := fmt.Sprintf("Refuse %s?", these(seen))
		if said.yes {
			question = fmt.Sprintf("Let %s pass, once each?", these(seen))
		}
		if err := a.confirm(ctx, terminal, said, not, question); err != nil {
			return err
		}
		by, from := personAt(a, terminal.Name)
		all, err = store.AnswerAll(ctx, seen, approve.Answer{Yes: said.yes, Note: said.note, By: by, From: from})
		return err
	})
	return all, err
}

func these(all []approve.Request) string {
	if len(all) == 1 {
		return "this call"
	}
	return fmt.Sprintf("all these %d calls", len(all))
}

// besides are the open calls of the session of one, which is the first of them.
func (a *app) besides(ctx context.Context, store *approve.Store, code string, yes bool) ([]approve.Request, error) {
	first, err := store.Find(ctx, code)
	if err != nil {
		return nil, err
	}
	seen := []approve.Request{first}
	list, err := store.List(ctx)
	for _, r := range list {
		if r.State == approve.Waiting && r.Session == first.Session && r.Session != "" && r.Code != code {
			seen = append(seen, r)
		}
	}
	for i := range seen {
		if err == nil {
			err = a.mayAnswer(&seen[i], yes)
		}
	}
	return seen, err
}
