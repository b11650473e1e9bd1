package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/approve"
)

// Approvals are what people are asked about.
type Approvals interface {
	// List gives the requests of the last hour, the latest first.
	List(ctx context.Context) ([]approve.Request, error)

	// Get gives one. A *approve.RefusedError says that there is none.
	Get(ctx context.Context, code string) (approve.Request, error)

	// Answer answers one that is open. A *NotMintedError says that the credential is none,
	// a *approve.RefusedError why the answer does not count.
	Answer(ctx context.Context, a Answering) (approve.Request, error)

	// Standing gives the answers for more than one call that hold, the latest first.
	Standing(ctx context.Context) ([]approve.Standing, error)

	// Revoke takes one back, for the owner alone; the errors are those of Answer. To take
	// back a no lets calls pass again, so it takes what a yes takes.
	Revoke(ctx context.Context, r Revoking) (approve.Standing, error)
}

// Answering is an answer over HTTP.
type Answering struct {
	Asker
	Code  string
	Yes   bool
	Scope approve.Scope
	Note  string
	Calls int // that were seen waiting; 0 is one
}

func (e *NotMintedError) Error() string { return e.Text }

// answerRequest is the body of POST /v1/approvals/{code}.
type answerRequest struct {
	Answer string `json:"answer"`
	Scope  string `json:"scope"`
	Note   string `json:"note"`
	Calls  int    `json:"calls"`
}

func (r *answerRequest) fields() map[string]any {
	return map[string]any{"answer": &r.Answer, "scope": &r.Scope, "note": &r.Note, "calls": &r.Calls}
}

// approvals answers GET /v1/approvals.
func (d *Server) approvals(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "state")
	if err != nil {
		return 0, err
	}
	state := approve.State(q.Get("state"))
	if state != "" && !slices.Contains(approve.States, state) {
		return 0, problem("bad-request", "state: %q is none; it is open, allowed, used, denied, timed out, expired or revoked", state).at("state")
	}
	list := []approve.Request{} // not null
	if d.Approvals != nil {
		all, err := d.Approvals.List(r.Context())
		if err != nil {
			return 0, err
		}
		for i := range all {
			if state == "" || all[i].State == state {
				list = append(list, all[i])
			}
		}
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"approvals": list})
	return 0, nil
}

// approval answers GET /v1/approvals/{code}.
func (d *Server) approval(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	code, err := d.code(r)
	if err != nil {
		return 0, err
	}
	one, err := d.Approvals.Get(r.Context(), code)
	if err != nil {
		return 0, unanswered(err)
	}
	writeJSON(w, "application/json", http.StatusOK, one)
	return 0, nil
}

// code is the code in a request's path.
func (d *Server) code(r *http.Request) (string, error) {
	if _, err := query(r); err != nil {
		return "", err
	}
	code, err := approve.ParseCode(r.PathValue("name"))
	if err != nil {
		return "", problem("bad-request", "%v", err).at("code")
	}
	if d.Approvals == nil {
		return "", problem("no-such-approval", "nothing was asked here")
	}
	return code, nil
}

// answerApproval answers POST /v1/approvals/{code}.
func (d *Server) answerApproval(w http.ResponseWriter, r *http.Request, o origin) (size int, err error) {
	code, err := d.code(r)
	if err != nil {
		return 0, err
	}
	body, giveBack, err := d.readBody(w, r, mostSaid)
	if err != nil {
		return 0, err
	}
	defer giveBack()
	a, err := decodeAnswer(body)
	if err != nil {
		return len(body), err
	}
	a.Code, a.Asker = code, askerOf(r, o)
	one, err := d.Approvals.Answer(r.Context(), a)
	if err != nil {
		return len(body), unanswered(err)
	}
	writeJSON(w, "application/json", http.StatusOK, one)
	return len(body), nil
}

func decodeAnswer(body []byte) (a Answering, err error) {
	var r answerRequest
	if err := decodeObject(body, r.fields()); err != nil {
		return a, err
	}
	switch strings.ToLower(r.Answer) {
	case "allow":
		a.Yes = true
	case "deny":
	default:
		return a, problem("bad-request", `answer must be "allow" or "deny", not %q`, clip(r.Answer)).at("answer")
	}
	if a.Scope, err = approve.ParseScope(r.Scope); err != nil {
		return a, problem("bad-request", "%v", err).at("scope")
	}
	if r.Calls < 0 {
		return a, problem("bad-request", "calls must be how many equal calls were seen waiting, not %d", r.Calls).at("calls")
	}
	a.Note, a.Calls = r.Note, r.Calls
	return a, nil
}

// unanswered is the problem of an answer that does not count, or of a code that is none.
func unanswered(err error) error {
	if who := unowned(err); who != nil {
		return who
	}
	var refused *approve.RefusedError
	switch {
	case errors.As(err, &refused) && refused.State == "":
		return problem("no-such-approval", "%v", err)
	case errors.As(err, &refused):
		return problem("not-answered", "%v", err)
	}
	return err
}

// Revoking takes back an answer over HTTP.
type Revoking struct {
	Asker
	Code string
}

// standing answers GET /v1/standing.
func (d *Server) standing(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	list := []approve.Standing{} // not null
	if d.Approvals != nil {
		all, err := d.Approvals.Standing(r.Context())
		if err != nil {
			return 0, err
		}
		list = append(list, all...)
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"standing": list})
	return 0, nil
}

// revoke answers DELETE /v1/standing/{code}.
func (d *Server) revoke(w http.ResponseWriter, r *http.Request, o origin) (int, error) {
	code, err := d.code(r)
	if err != nil {
		return 0, err
	}
	gone, err := d.Approvals.Revoke(r.Context(), Revoking{Asker: askerOf(r, o), Code: code})
	if err != nil {
		return 0, unanswered(err)
	}
	writeJSON(w, "application/json", http.StatusOK, gone)
	return 0, nil
}
