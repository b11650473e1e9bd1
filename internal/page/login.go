package page

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/hookway/hookway/internal/visible"
)

// cookieName is the name of the cookie at a host, with its port: cookies are not kept
// apart by port, and another daemon's must not take the place of this one's.
func cookieName(host string) string {
	_, port, err := net.SplitHostPort(host)
	if n, bad := strconv.ParseUint(port, 10, 16); err == nil && bad == nil {
		return "hookway-" + strconv.FormatUint(n, 10)
	}
	return "hookway"
}

// visitor finds the session of a request: of its cookie and of its token, each of which is
// worth nothing alone. Browsers send cookies to all ports of a machine, and a program at
// one of them can read it there.
func (h *Handler) visitor(r *http.Request) (Visitor, error) {
	nobody := refuse(http.StatusUnauthorized, "no-session", "nobody is logged in here, or not any more; run hookway ui in a terminal of your own")
	tokens, cookies := r.Header.Values(TokenHeader), r.CookiesNamed(cookieName(r.Host))
	if len(tokens) != 1 || len(tokens[0]) > mostSecret || len(cookies) > mostCookies {
		return Visitor{}, nobody
	}
	var s Session
	found := false
	for _, c := range cookies { // a page of another port may have added one of this name, which puts nobody out
		if found || len(c.Value) > mostSecret {
			continue
		}
		var err error
		if s, found, err = h.known().session(r.Context(), c.Value, tokens[0]); err != nil {
			return Visitor{}, err
		}
	}
	if !found {
		return Visitor{}, nobody
	}
	pin, err := typedPIN(r.Header.Values(PINHeader))
	r.Header.Del(PINHeader)
	r.Header.Del(TokenHeader)
	r.Header.Del("Cookie")
	return Visitor{Session: s, PIN: pin}, err
}

// typedPIN is the PIN in a header, where it is percent-encoded.
func typedPIN(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	pin, err := url.PathUnescape(values[0])
	if err != nil || len(values) > 1 || len(pin) > mostSecret {
		return "", refuse(http.StatusBadRequest, "bad-request", "the header %s must have the PIN, percent-encoded", PINHeader)
	}
	return pin, nil
}

// login answers POST /login: a link becomes a session.
func (h *Handler) login(w http.ResponseWriter, r *http.Request) error {
	if err := ofThisUser(r); err != nil {
		return err
	}
	code, err := readLink(w, r)
	if err != nil {
		return err
	}
	if wait := h.guesses.wait(time.Now()); wait > 0 {
		return refuse(http.StatusTooManyRequests, "too-many", "too many links were wrong; wait a little, then run hookway ui again").with("Retry-After", seconds(wait))
	}
	var s Session
	var cookie, token string
	err = h.Store.Change(r.Context(), func(st *State, now time.Time) error {
		by, ok := st.useLink(code)
		if !ok {
			return refuse(http.StatusUnauthorized, "no-link", "this link is used, or too old, or none; run hookway ui again")
		}
		s, cookie, token = st.begin(by, browser(r), now)
		return nil
	})
	if err != nil {
		h.guesses.note(time.Now())
		h.tell(r, Happening{What: Login, Refused: err.Error()})
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r.Host), Value: cookie, Path: "/", MaxAge: int(MostTime.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode})
	h.tell(r, Happening{What: Login, Session: s.ID, By: s.By})
	said, err := h.say(r, &s)
	if err != nil {
		return err
	}
	said["token"] = token
	answer(w, "application/json", http.StatusOK, said)
	return nil
}

// readLink reads the body of a login strictly.
func readLink(w http.ResponseWriter, r *http.Request) (string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", refuse(http.StatusUnsupportedMediaType, "wrong-type", "the body must be application/json")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // of the next request net/http sets its own
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return "", refuse(http.StatusRequestEntityTooLarge, "too-large", "the body has more than %d bytes", mostBody)
	case err != nil:
		return "", refuse(http.StatusRequestTimeout, "too-slow", "the body did not arrive: %v", err)
	}
	return parseLink(body)
}

// parseLink reads {"link": CODE}.
func parseLink(body []byte) (string, error) {
	var said map[string]string
	if err := json.Unmarshal(body, &said); err != nil || len(said) != 1 || said["link"] == "" || len(said["link"]) > mostSecret {
		return "", refuse(http.StatusBadRequest, "bad-request", `the body must be {"link": CODE}`)
	}
	return said["link"], nil
}

// session answers GET /session.
func (h *Handler) session(w http.ResponseWriter, r *http.Request, s *Session) error {
	said, err := h.say(r, s)
	if err == nil {
		answer(w, "application/json", http.StatusOK, said)
	}
	return err
}

// say is what the page is told of its session.
func (h *Handler) say(r *http.Request, s *Session) (map[string]any, error) {
	pin := false
	if h.PIN != nil {
		var err error
		if pin, err = h.PIN(r); err != nil {
			return nil, err
		}
	}
	return map[string]any{
		"id": s.ID, "by": s.By, "since": moment(s.Since), "until": moment(s.End()), "pin": pin,
		"version": h.Version, "bundle": Bundle(), "now": moment(time.Now()),
	}, nil
}

// sessions answers GET /sessions.
func (h *Handler) sessions(w http.ResponseWriter, mine *Session) error {
	st, err := h.Store.Read()
	if err != nil {
		return err
	}
	list := []map[string]any{} // not null
	for _, s := range st.Sessions {
		list = append(list, map[string]any{
			"id": s.ID, "by": s.By, "browser": s.Agent, "since": moment(s.Since), "used": moment(s.Used), "until": moment(s.End()), "this": s.ID == mine.ID,
		})
	}
	answer(w, "application/json", http.StatusOK, map[string]any{"sessions": list})
	return nil
}

// end answers POST /logout and DELETE /sessions/{id}.
func (h *Handler) end(w http.ResponseWriter, r *http.Request, mine *Session, id string) error {
	there := false
	if err := h.Store.Change(r.Context(), func(st *State, _ time.Time) error { there = st.End(id); return nil }); err != nil {
		return err
	}
	if !there {
		return refuse(http.StatusNotFound, "no-session", "there is no session %q any more", id)
	}
	h.tell(r, Happening{What: Logout, Session: id, By: mine.By})
	if id == mine.ID {
		http.SetCookie(w, &http.Cookie{Name: cookieName(r.Host), Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	answer(w, "application/json", http.StatusOK, map[string]any{"ended": id})
	return nil
}

// browser is how one names itself.
func browser(r *http.Request) string { return visible.Line(visible.Clip(r.UserAgent(), 200)) }

// tell puts something on record.
func (h *Handler) tell(r *http.Request, what Happening) {
	if h.Happened != nil {
		what.Browser = browser(r)
		h.Happened(r, what)
	}
}
