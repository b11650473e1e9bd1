package api

import (
	"context"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Owner is who a request comes from that the owner's own page made: somebody who was let
// in there. Only such a request, or one with a credential, may do what only the owner may;
// the daemon's own socket tells nothing, because agents reach it, too.
type Owner struct {
	By   string // who opened the page
	From string // which session of the page
	PIN  string // that was typed for this request; "" is none
}

type ownerKey struct{}

// WithOwner marks what is done for a request of the owner's page.
func WithOwner(ctx context.Context, who Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, who)
}

// OwnerOf gives the mark; ok is false if there is none.
func OwnerOf(ctx context.Context) (who Owner, ok bool) {
	who, ok = ctx.Value(ownerKey{}).(Owner)
	return who, ok
}

// PINError is what only the owner may do, without the PIN that is wanted for it.
type PINError struct {
	Text string
	Wait time.Duration // before another one counts; 0 is none
}

func (e *PINError) Error() string { return e.Text }

func (e *PINError) problem() error {
	if e.Wait > 0 {
		return problem("too-many", "%v", e).with("Retry-After", strconv.Itoa(int(math.Ceil(e.Wait.Seconds()))))
	}
	return problem("pin-needed", "%v", e)
}

// Page is what answers at a port of its own, for browsers. It lets people in itself.
type Page struct {
	Listener net.Listener
	Handler  http.Handler
}

// ServeOwner answers a request that the page has let in.
func (d *Server) ServeOwner(w http.ResponseWriter, r *http.Request, who Owner) {
	o, _ := r.Context().Value(originKey{}).(origin)
	r = r.WithContext(WithOwner(r.Context(), who))
	finish(w, route(d.owned, w, r, origin{local: o.local, conn: o.conn}))
}

// isPage reports whether a request came in at the page's port.
func (d *Server) isPage(o origin) bool {
	return d.Page != nil && o.from != nil && o.from == d.Page.Listener
}

// openPage answers POST /v1/page: it opens the page's port. Who comes there needs a link
// yet, which is not made here.
func (d *Server) openPage(w http.ResponseWriter, r *http.Request, o origin) (int, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	if d.OpenPage == nil || o.listener != nil {
		return 0, problem("not-allowed", "the page is opened at the daemon's own socket alone: hookway ui")
	}
	port, err := d.OpenPage(r.Context())
	if err != nil {
		return 0, err
	}
	writeJSON(w, "application/json", http.StatusOK, map[string]any{"port": port, "address": "http://127.0.0.1:" + strconv.Itoa(port) + "/"})
	return 0, nil
}
