package api

import (
	"net/http"

	"github.com/hookway/hookway/internal/approve"
)

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
