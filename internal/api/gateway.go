package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/hookway/hookway/internal/gateway"
)

// gatewayPath is what the paths of the gateway begin with.
const gatewayPath = "/hooks/"

// gatewayCall answers POST /hooks/NAME. Who calls has no token of the daemon's, but
// the mapping's own secret. Nothing counts as work before that was seen, as far as
// the head shows it.
func (d *Server) gatewayCall(w http.ResponseWriter, r *http.Request, o origin) error {
	g := d.Gateway
	if o.foreign {
		if err := d.meant(o, r.Host, r.Header, g.Hosts(r.Context())); err != nil {
			return err
		}
	}
	if r.Method != http.MethodPost {
		return problem("wrong-method", "hooks are called with POST, not %s", r.Method).with("Allow", http.MethodPost)
	}
	call, err := g.Admit(r.Context(), strings.TrimPrefix(r.URL.Path, gatewayPath), r.Header)
	if err != nil {
		return refused(err)
	}
	return d.counted(func(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
		body, giveBack, err := d.readUpTo(w, r, int64(call.MaxBody()))
		if err != nil {
			return 0, err
		}
		defer giveBack()
		answer, err := call.Do(r.Context(), body)
		if err != nil {
			return len(body), refused(err)
		}
		if answer.Again {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		writeText(w, "application/json", answer.Status, append(answer.Body, '\n'))
		return len(body), nil
	})(w, r, o)
}

// refused is the problem that a refusal of the gateway is.
func refused(err error) error {
	var no *gateway.Refusal
	if !errors.As(err, &no) {
		return err
	}
	p := problem(no.Kind, "%s", no.Detail)
	if no.After > 0 {
		p.with("Retry-After", gateway.Seconds(no.After))
	}
	if no.Kind == "no-token" {
		p.with("WWW-Authenticate", `Bearer realm="hookway"`)
	}
	return p
}
