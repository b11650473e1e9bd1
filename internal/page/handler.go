package page

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Handler answers what comes in at the page's port.
type Handler struct {
	Store   *Store
	Version string // of the daemon

	// API answers what a session may ask: everything below /v1/.
	API func(w http.ResponseWriter, r *http.Request, who Visitor)

	// PIN reports whether the owner's PIN is wanted for what only they may do. It may be nil.
	PIN func(r *http.Request) (bool, error)

	// Happened gets who came in, who was sent away and what was ended, for the record. It
	// may be nil.
	Happened func(r *http.Request, h Happening)

	// Log gets what happens besides answers. Nil drops it.
	Log *slog.Logger

	once    sync.Once // makes kept
	kept    kept
	guesses limit
	under   atomic.Int64
}

// Visitor is a session that asks something of the API.
type Visitor struct {
	Session Session
	PIN     string // that was typed for this request; "" is none
}

// Happening is something that is put on record.
type Happening struct {
	What    string // Login or Logout
	Session string // its id
	By      string // who made the link
	Browser string // as it names itself
	Refused string // why it was not done; "" if it was
}

// What happens.
const (
	Login  = "login"
	Logout = "logout"
)

// Headers and bounds of requests.
const (
	TokenHeader = "X-Hookway-Token"
	PINHeader   = "X-Hookway-PIN"

	versionHeader = "X-Hookway-Version"
	mostBody      = 4 << 10 // of what the handler itself reads
	mostSecret    = 200
	mostCookies   = 8   // of one name
	mostUnder     = 256 // requests under way, streams among them
	bodyTime      = 10 * time.Second
	answerTime    = 30 * time.Second // for a browser to take what the handler itself answers
)

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	w.Header().Set(versionHeader, h.Version)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	err := meant(r)
	if err == nil {
		err = h.within(func() error { return h.route(w, r) })
	}
	if err != nil {
		h.fail(w, r, err)
	}
}

// within answers a request if there is room for it.
func (h *Handler) within(do func() error) error {
	defer h.under.Add(-1)
	if h.under.Add(1) > mostUnder {
		return refuse(http.StatusServiceUnavailable, "busy", "%d requests are under way already; try again", mostUnder).with("Retry-After", "1")
	}
	return do()
}

func (h *Handler) route(w http.ResponseWriter, r *http.Request) error {
	path := r.URL.Path
	if f, ok := theBundle().files[path]; ok {
		return serveFile(w, r, f)
	}
	if err := ownPage(r); err != nil {
		return err
	}
	if path == "/login" {
		return only(r, http.MethodPost, func() error { return h.login(w, r) })
	}
	who, err := h.visitor(r)
	if err != nil {
		return err
	}
	id, one := strings.CutPrefix(path, "/sessions/")
	switch {
	case strings.HasPrefix(path, "/v1/"):
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // it may be a stream
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go h.endWith(ctx, who.Session.ID, cancel)
		h.API(w, r.WithContext(ctx), who)
		return nil
	case path == "/session":
		return only(r, http.MethodGet, func() error { return h.session(w, r, &who.Session) })
	case path == "/sessions":
		return only(r, http.MethodGet, func() error { return h.sessions(w, &who.Session) })
	case path == "/logout":
		return only(r, http.MethodPost, func() error { return h.end(w, r, &who.Session, who.Session.ID) })
	case one:
		return only(r, http.MethodDelete, func() error { return h.end(w, r, &who.Session, id) })
	}
	return refuse(http.StatusNotFound, "no-such-path", "there is nothing at this path")
}

// sessionEvery is between two looks at whether the session of a request is there yet.
const sessionEvery = 2 * time.Second

// endWith ends a request that goes on for long when its session ends, also by another
// process: a browser that was logged out is told nothing more, and counts as nobody.
func (h *Handler) endWith(ctx context.Context, session string, end context.CancelFunc) {
	tick := time.NewTicker(sessionEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !h.known().has(session) {
				end()
				return
			}
		}
	}
}

// known is the store as this process has it.
func (h *Handler) known() *kept {
	h.once.Do(func() { h.kept.store = h.Store })
	return &h.kept
}
