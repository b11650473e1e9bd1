package server

import (
	"context"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
)

// owner finds out who asks for what only the owner may: in their page, with the PIN where
// one is wanted, or with a credential. The daemon's own socket tells nothing: agents reach
// it, too.
func (h *Home) owner(ctx context.Context, who api.Asker, pin bool) (by string, err error) {
	if who.Owner != nil {
		if pin {
			err = h.OwnersPIN(ctx, *who.Owner)
		}
		return who.Owner.By, err
	}
	minted, err := h.Minted()
	if err != nil {
		return "", err
	}
	one, ok := minted.Credential(who.Credential, time.Now())
	if !ok {
		return "", &api.NotMintedError{Text: "only the owner may: in their page (hookway ui), in a terminal of their own, or with a credential in the header Hookway-Credential, which they make there: hookway approvals mint --http NAME"}
	}
	if pin && !one.PIN && h.wantsPIN(ctx) {
		return "", &api.NotMintedError{Text: errPIN.Error()}
	}
	return one.Name, nil
}

// sourceOf is by what way the owner asks, for the record.
func sourceOf(who api.Asker) string {
	if who.Owner != nil {
		return "page"
	}
	return "http"
}

// ownersWord puts on record what somebody wanted that only the owner may, and what came of
// it.
func (h *Home) ownersWord(ctx context.Context, who api.Asker, by, what, said, cwd string, refused error) {
	r := audit.Record{
		Time: time.Now(), Event: audit.Approval, Source: sourceOf(who), What: what, CWD: cwd,
		Action: hook.ActionAllow.String(), By: by, Reason: said + ": " + who.From, Metadata: map[string]any{"from": who.From},
	}
	if refused != nil {
		r.Action, r.By, r.Reason = hook.ActionBlock.String(), "hookway", refused.Error()
	}
	h.Answered(ctx, r)
}
