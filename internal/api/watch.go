package api

import "net/http"

// watch answers GET /v1/watch.
func (d *Doors) watch(w http.ResponseWriter, r *http.Request, _ visit) error {
	return problem("nothing-to-stream", "not yet")
}
