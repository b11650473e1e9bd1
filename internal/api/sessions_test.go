//go:build unix

package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/timeline"
)

// told are sessions that answer with what they were asked.
type told struct {
	query timeline.Query
	one   string
	err   error
}

func (s *told) List(_ context.Context, q timeline.Query) (*timeline.List, error) {
	s.query = q
	return &timeline.List{Sessions: []timeline.Session{{ID: "s1", Agent: "mine", From: []string{"record"}}}, Problems: []string{}}, s.err
}

func (s *told) One(_ context.Context, agent, id, after string, limit int) (*timeline.Page, error) {
	s.one = fmt.Sprintf("%s %s %s %d", agent, id, after, limit)
	page := &timeline.Page{Session: timeline.Session{ID: id, From: []string{}}, Lanes: []timeline.Lane{}, Items: []timeline.Item{}, Counts: map[string]int64{}, Problems: []string{}}
	return page, s.err
}

func TestSessionsAreAskedFor(t *testing.T) {
	s := &told{}
	h := newHouse(t, oneHook, plan{sessions: s})
	status, text := h.ask("GET", "/v1/sessions?agent=mine&since=1d&q=cart+returns&limit=500&after=1/a/b/c&cwd="+url.QueryEscape(h.dir+"/./x"), "")
	want(t, text, `"sessions":[{"id":"s1","agent":"mine"`, `"next":""`)
	asked := s.query
	if status != http.StatusOK || time.Since(asked.Since).Round(time.Hour) != 24*time.Hour {
		t.Errorf("%d: asked for those since %v", status, asked.Since)
	}
	asked.Since = time.Time{}
	if want := (timeline.Query{Agent: "mine", Workspace: h.dir + "/x", Text: "cart returns", Limit: 500, After: "1/a/b/c"}); asked != want {
		t.Errorf("asked for %+v, want %+v", asked, want)
	}
	// Ids are those of agents, which write into them what they like.
	for _, id := range []string{"s1", "a/b", "../../v1/status", `C:\x`, "%2F", "{id}x", "ä ö", "a?b#c", "."} {
		status, text := h.ask("GET", "/v1/sessions/"+url.PathEscape(id)+"?agent=codex&after=3&limit=7", "")
		if want := "codex " + id + " 3 7"; status != http.StatusOK || s.one != want {
			t.Errorf("%q: %d %s; asked for %q, want %q", id, status, text, s.one, want)
		}
	}
}

func TestEachBadQuestionAboutSessionsIsOneClearProblem(t *testing.T) {
	s := &told{}
	h := newHouse(t, oneHook, plan{sessions: s})
	for path, says := range map[string]string{
		"/v1/sessions?limit=0": "from 1 to 500", "/v1/sessions?limit=501": "from 1 to 500", "/v1/sessions?limit=9999999999999999999": "from 1 to 500",
		"/v1/sessions?cwd=x": "absolute", "/v1/sessions?since=x": "since", "/v1/sessions?x=1": "no parameter", "/v1/sessions?q=%zz": "cannot be read",
		"/v1/sessions?agent=a&agent=b": "twice", "/v1/sessions/s1?limit=1001": "from 1 to 1000", "/v1/sessions/s1?since=1d": "no parameter",
	} {
		status, text := h.ask("GET", path, "")
		if want(t, text, says); status != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want %d", path, status, text, http.StatusBadRequest)
		}
	}
	for err, wanted := range map[error]int{fmt.Errorf("%w: x", timeline.ErrNone): 404, fmt.Errorf("%w: x", timeline.ErrQuery): 400, errors.New("the disk is full"): 500} {
		s.err = err
		for _, path := range []string{"/v1/sessions", "/v1/sessions/s1"} {
			if path == "/v1/sessions" && wanted == 404 {
				continue
			}
			if status, text := h.ask("GET", path, ""); status != wanted {
				t.Errorf("%s with %v: %d %s", path, err, status, text)
			}
		}
	}
	if status, _ := h.ask("POST", "/v1/sessions", "{}"); status != http.StatusMethodNotAllowed {
		t.Errorf("got %v, want %v", status, http.StatusMethodNotAllowed)
	}
}

func TestWithoutARecordThereAreNoSessions(t *testing.T) {
	h := newHouse(t, oneHook, plan{})
	for _, path := range []string{"/v1/sessions", "/v1/sessions/s1"} {
		status, text := h.ask("GET", path, "")
		if want(t, text, "no-record", "hookway doctor"); status != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d, want %d", path, status, http.StatusServiceUnavailable)
		}
	}
}
