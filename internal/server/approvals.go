package server

import (
	"context"
	"errors"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/process"
)

// ApprovalsDir is where the calls are kept that people are asked about, and what is kept of
// their PIN.
func (h *Home) ApprovalsDir() (string, error) { return h.folder("approvals") }

// Approvals opens the calls that rules stopped; nil if there are none yet. To close it is
// the caller's part.
func (h *Home) Approvals(ctx context.Context) (*approve.Store, error) {
	dir, err := h.folder("approvals")
	if err != nil || !approve.Exists(dir) {
		return nil, err
	}
	return approve.Open(ctx, dir, approve.Options{})
}

// asked opens them for a judge: fresh makes the file if there is none.
func (h *Home) asked(ctx context.Context, fresh bool) (*approve.Store, error) {
	if !fresh {
		return h.Approvals(ctx)
	}
	dir, err := h.folder("approvals")
	if err != nil {
		return nil, err
	}
	return approve.Open(ctx, dir, approve.Options{})
}

// Answered puts on record that somebody answered for a stopped call, or tried to.
func (h *Home) Answered(ctx context.Context, r audit.Record) {
	records, done := h.openAudit(h.Log)
	defer done()
	if records == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if err := records.Append(ctx, r); err != nil {
		h.Log.Warn("an answer for a stopped call is not on record", logline.Err, err)
	}
}

// grants lets calls through that a person allowed. The file is open only for as long as
// it takes: calls are stopped rarely.
type grants struct{ home *Home }

func (g grants) Use(ctx context.Context, c guards.Call) (_ guards.Grant, ok bool, err error) {
	s, err := g.home.Approvals(ctx)
	if s == nil || err != nil {
		return guards.Grant{}, false, err
	}
	said, err := s.Use(ctx, approved(c))
	if err = errors.Join(err, s.Close()); err != nil || said == nil || !said.Yes {
		return guards.Grant{}, false, err
	}
	return guards.Grant{By: said.String(), Of: said}, true, nil
}

func (g grants) Return(ctx context.Context, c guards.Call, used guards.Grant) error {
	s, err := g.home.Approvals(ctx)
	if s == nil || err != nil {
		return err
	}
	said, _ := used.Of.(*approve.Said)
	return errors.Join(s.Return(ctx, approved(c), said), s.Close())
}

func (g grants) Offer(ctx context.Context, c guards.Call) (string, error) {
	s, err := g.home.asked(ctx, true)
	if err != nil {
		return "", err
	}
	r, err := s.Ask(ctx, approved(c), process.Namespaces())
	if unbound := (*approve.UnboundError)(nil); errors.As(err, &unbound) {
		err = &guards.UnboundError{Why: unbound.Error()}
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return "", err
	}
	switch r.State {
	case approve.Denied:
		return "", &guards.DeniedError{By: r.By, Note: r.Note}
	case approve.Allowed:
		return "", new(guards.AllowedError)
	}
	return r.Code, nil
}

// approved is a stopped call as it is kept.
func approved(c guards.Call) approve.Call {
	return approve.Call{
		Agent: c.Agent, Session: c.Session, Subagent: c.Subagent, Workspace: c.Workspace, Tool: c.Tool, Native: c.Native, Input: c.Input, Facts: c.Facts, Hook: guards.ID, Rule: c.Rule, Reason: c.Reason, Does: guards.Describe(c.Facts),
	}
}
