package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/page"
)

// Page is what is kept of the page.
func (h *Home) Page() (*page.Store, error) {
	dir, err := h.folder("page")
	return page.NewStore(dir), err
}

// pages is the page in the daemon: its port, and who comes in there.
type pages struct {
	home     *Home
	store    *page.Store
	listener *page.Listener
	streams  atomic.Int64 // requests under way
	last     atomic.Int64 // when the last one ended, in Unix seconds
	presence *presence
}

// newPages makes the page of a daemon; nothing is opened.
func newPages(h *Home) (*pages, error) {
	store, err := h.Page()
	if err != nil {
		return nil, err
	}
	return &pages{home: h, store: store, listener: page.NewListener(), presence: newPresence(h)}, nil
}

// api has the page before the API.
func (p *pages) api(programs *api.Server) *api.Page {
	handler := &page.Handler{
		Store: p.store, Version: p.home.Version, Log: p.home.Log, Happened: p.happened,
		PIN: func(r *http.Request) (bool, error) { return p.home.RequiresPIN(r.Context()) },
		API: func(w http.ResponseWriter, r *http.Request, who page.Visitor) {
			p.streams.Add(1)
			defer func() {
				p.last.Store(time.Now().Unix())
				p.streams.Add(-1)
			}()
			owner := api.Owner{By: who.Session.By, From: "the page, session " + who.Session.ID, PIN: who.PIN}
			p.presence.serve(r, func() { programs.ServeOwner(w, r, owner) })
		},
	}
	return &api.Page{Listener: p.listener, Handler: handler}
}

// stayTime is how long the daemon stays for a page that asks nothing.
const stayTime = 2 * time.Minute

// needed reports whether somebody looks at the page.
func (p *pages) needed() bool {
	return p.streams.Load() > 0 || time.Since(time.Unix(p.last.Load(), 0)) < stayTime
}

// address is where the page is, or "".
func (p *pages) address() string {
	if port := p.listener.Port(); port != 0 {
		return page.At(port)
	}
	return ""
}

// begin opens the port if the page was used in the last days.
func (p *pages) begin() {
	st, err := p.store.Read()
	if err == nil && (st.Port == 0 || time.Since(st.Used) >= page.MostTime) {
		return
	}
	if err == nil {
		_, err = p.listener.Open(st.Port) // links that were kept lead to no other one
	}
	if err != nil {
		p.home.Log.Warn("the page is not there; hookway ui opens it", logline.Err, err)
	}
}

// Open opens the port, and says where the page is. It is the one of last time, or else
// another one.
func (p *pages) Open(ctx context.Context) (port int, err error) {
	if port = p.listener.Port(); port != 0 {
		return port, nil
	}
	err = p.store.Change(ctx, func(st *page.State, _ time.Time) (err error) {
		for _, want := range []int{cmp.Or(st.Port, page.UsualPort), page.UsualPort, 0} { // 0 is any
			if port, err = p.listener.Open(want); !errors.Is(err, page.ErrTaken) {
				break
			}
		}
		st.Port = port
		return err
	})
	return port, err
}

// happened puts on record who came in, and who was sent away.
func (p *pages) happened(r *http.Request, h page.Happening) {
	record := audit.Record{
		Time: time.Now(), Event: audit.Approval, Source: "page", What: "page " + h.What,
		Metadata: map[string]any{"from": r.RemoteAddr, "page_session": h.Session, "browser": h.Browser},
	}
	said := map[string]string{page.Login: "a browser was let into the page, with a link of " + h.By, page.Logout: "the session " + h.Session + " of the page was ended in the page"}
	record.Action, record.By, record.Reason = hook.ActionAllow.String(), h.By, said[h.What]
	if h.Refused != "" {
		record.Action, record.By, record.Reason = hook.ActionBlock.String(), "hookway", h.Refused
	}
	p.home.Answered(r.Context(), record)
}
