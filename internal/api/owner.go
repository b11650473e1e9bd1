package api

import (
	"context"
	"errors"
	"math"
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

// Asker is who asks for what only the owner may.
type Asker struct {
	Owner      *Owner // who asks in the owner's page; nil: it is another program
	Credential string // that the owner minted
	From       string // where it comes from
}

// askerOf is who has sent a request.
func askerOf(r *http.Request, o origin) Asker {
	a := Asker{Credential: r.Header.Get(credentialHeader), From: "HTTP at the daemon's own socket"}
	if o.foreign || o.listener != nil {
		a.From = "HTTP from " + r.RemoteAddr
	}
	if who, ok := OwnerOf(r.Context()); ok {
		a = Asker{Owner: &who, From: who.From}
	}
	return a
}

// credentialHeader has the credential of who answers. The daemon's token is not one: an
// agent may read it.
const credentialHeader = "Hookway-Credential"

// unowned is the problem of who is not the owner, or does not show it; nil if the error is
// another.
func unowned(err error) error {
	var foreign *NotMintedError
	var pin *PINError
	switch {
	case errors.As(err, &pin):
		return pin.problem()
	case errors.As(err, &foreign):
		return problem("not-allowed", "%v", err)
	}
	return nil
}

// NotMintedError is an answer of somebody who may not answer.
type NotMintedError struct{ Text string }
