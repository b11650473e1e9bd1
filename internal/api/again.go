package api

import (
	"context"
	"net/http"

	"github.com/hookway/hookway/internal/replay"
)

// Replayer fires events of the record again, at the hooks of today. It acts on nothing.
type Replayer interface {
	// Again fires one. The error of a record that is not there is audit.ErrNoSuch.
	Again(ctx context.Context, seq int64) (*replay.Again, error)
}

// today answers POST /v1/record/{seq}/today.
func (d *Server) today(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	seq, err := recordNumber(r)
	if err != nil {
		return 0, err
	}
	body, err := d.smallBody(w, r)
	if err == nil && len(body) > 0 {
		err = decodeObject(body, map[string]any{})
	}
	if err != nil {
		return len(body), err
	}
	again, err := d.Views.Again(r.Context(), seq)
	if err != nil {
		return len(body), unfound(err)
	}
	writeJSON(w, "application/json", http.StatusOK, again)
	return len(body), nil
}

// testCase is the answer of GET /v1/record/{seq}/case.
type testCase struct {
	YAML string `json:"yaml"`
	File string `json:"file"` // beside which hookway.yaml it belongs
}

// recordCase answers GET /v1/record/{seq}/case.
func (d *Server) recordCase(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	seq, err := recordNumber(r)
	if err != nil {
		return 0, err
	}
	again, err := d.Views.Again(r.Context(), seq)
	if err != nil {
		return 0, unfound(err)
	}
	if again.NoCase != "" {
		return 0, problem("no-case", "record %d is not a case for hooks_test.yaml: %s", seq, again.NoCase)
	}
	writeJSON(w, "application/json", http.StatusOK, testCase{again.YAML, again.File})
	return 0, nil
}
