package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hookway/hookway/internal/page"
	"github.com/hookway/hookway/wire/call"
)

// PageLink is a way into the page, for one browser.
type PageLink struct {
	Link  string    `json:"link"`
	Page  string    `json:"page"` // its address, which stays
	Port  int       `json:"port"`
	Until time.Time `json:"until"`
	Moved int       `json:"moved_from,omitempty"` // the port of before, if another program has it
}

// pagePath is where the daemon opens the page's port.
const pagePath = "/v1/page"

// OpenPage has the daemon open the page's port; it is started if none runs.
func (h *Home) OpenPage(ctx context.Context) (port int, err error) {
	at, err := call.Find(h.Getenv)
	if err != nil {
		return 0, err
	}
	client, err := h.startDaemon(ctx, at)
	switch {
	case errors.Is(err, ErrDaemonOff):
		return 0, errors.New("HOOKWAY_DAEMON=off and no daemon runs, so that nothing serves the page; hookway serve does")
	case err != nil:
		return 0, err
	}
	defer client.Close()
	status, body, err := client.Ask(ctx, http.MethodPost, pagePath, nil)
	var said struct {
		Port   int
		Detail string
	}
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("the daemon did not open the page: %w", err)
	case status == http.StatusNotFound:
		return 0, errors.New("the daemon that runs is an older one without a page; run hookway stop, then this again")
	case status != http.StatusOK:
		return 0, fmt.Errorf("the daemon did not open the page: %s", said.Detail)
	}
	return said.Port, nil
}

// LinkToPage makes a link. Who may is the caller's to know.
func (h *Home) LinkToPage(ctx context.Context, by string) (l PageLink, err error) {
	store, err := h.Page()
	if err != nil {
		return l, err
	}
	before, err := store.Read()
	if err != nil {
		return l, err
	}
	if l.Port, err = h.OpenPage(ctx); err != nil {
		return l, err
	}
	if before.Port != 0 && before.Port != l.Port {
		l.Moved = before.Port
	}
	err = store.Change(ctx, func(st *page.State, now time.Time) error {
		l.Page, l.Until = page.At(l.Port), now.Add(page.LinkTime).UTC().Truncate(time.Second)
		l.Link = l.Page + "#link=" + st.MakeLink(by, now)
		return nil
	})
	return l, err
}
