package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hookway/hookway/internal/timeline"
)

// Sessions tells what happened in sessions of agents.
type Sessions interface {
	// List gives a page of sessions. A [timeline.ErrQuery] says what is wrong with the query.
	List(ctx context.Context, q timeline.Query) (*timeline.List, error)

	// One gives a page of what happened in one. A [timeline.ErrNone] says that there is none.
	One(ctx context.Context, agent, id, after string, limit int) (*timeline.Page, error)
}

// sessions answers GET /v1/sessions.
func (d *Server) sessions(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	if d.Sessions == nil {
		return 0, problem("no-record", "there is no audit log; hookway doctor may find out why")
	}
	q, err := query(r, "agent", "cwd", "since", "q", "limit", "after")
	if err != nil {
		return 0, err
	}
	f, err := d.recordFilter(q, time.Now())
	if err != nil {
		return 0, err
	}
	wanted := timeline.Query{Agent: f.Agent, Workspace: f.Workspace, Folder: f.Folder, Since: f.Since, Text: q.Get("q"), After: q.Get("after")}
	if wanted.Limit, err = limitOf(q, timeline.MostSessions); err != nil {
		return 0, err
	}
	list, err := d.Sessions.List(r.Context(), wanted)
	if err != nil {
		return 0, untold(err)
	}
	writeJSON(w, "application/json", http.StatusOK, list)
	return 0, nil
}

// untold is the problem of what cannot be told of sessions.
func untold(err error) error {
	switch {
	case errors.Is(err, timeline.ErrNone):
		return problem("no-such-session", "%v", err)
	case errors.Is(err, timeline.ErrOther):
		return problem("other-log", "%v", err).at("after")
	case errors.Is(err, timeline.ErrQuery):
		return problem("bad-request", "%v", err)
	}
	return err
}

// session answers GET /v1/sessions/{id}.
func (d *Server) session(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	if d.Sessions == nil {
		return 0, problem("no-record", "there is no audit log; hookway doctor may find out why")
	}
	q, err := query(r, "agent", "limit", "after")
	if err != nil {
		return 0, err
	}
	limit, err := limitOf(q, timeline.MostItems)
	if err != nil {
		return 0, err
	}
	page, err := d.Sessions.One(r.Context(), q.Get("agent"), r.PathValue("name"), q.Get("after"), limit)
	if err != nil {
		return 0, untold(err)
	}
	writeJSON(w, "application/json", http.StatusOK, page)
	return 0, nil
}
