package api

import (
	"net/http"
	"path/filepath"

	"github.com/hookway/hookway/docs/schema"
)

// hooks answers GET /v1/hooks: what would run.
func (d *Server) hooks(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	q, err := query(r, "cwd")
	if err != nil {
		return 0, err
	}
	cwd := q.Get("cwd")
	if cwd != "" && !filepath.IsAbs(cwd) {
		return 0, problem("bad-request", "cwd: %q is not an absolute path", cwd).at("cwd")
	}
	list, err := d.Lister.Hooks(r.Context(), cwd)
	if err != nil {
		return 0, err
	}
	shown := list.Document()
	if d.Views != nil {
		d.Views.Describe(r.Context(), cwd, list, &shown)
	}
	writeJSON(w, "application/json", http.StatusOK, shown)
	return 0, nil
}

// status answers GET /v1/status. The daemon does not stay for it.
func (d *Server) status(w http.ResponseWriter, r *http.Request, _ origin) error {
	if _, err := query(r); err != nil {
		return err
	}
	writeJSON(w, "application/json", http.StatusOK, d.host.Status())
	return nil
}

// health answers GET /healthz.
func (d *Server) health(w http.ResponseWriter, _ *http.Request, _ origin) error {
	if d.stopping() {
		return stopping()
	}
	writeText(w, "application/json", http.StatusOK, []byte(`{"status":"ok"}`+"\n"))
	return nil
}

// openAPI answers GET /v1/openapi.json.
func (d *Server) openAPI(w http.ResponseWriter, _ *http.Request, _ origin) error {
	writeText(w, "application/json", http.StatusOK, schema.OpenAPI())
	return nil
}
