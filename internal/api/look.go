package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// Views are what people look at.
type Views interface {
	Explainer
	Switches
	Replayer
	Remembering
	Previewer
	Surroundings
}

// viewPaths are those of paths that somebody looks at.
func (d *Server) viewPaths() map[string]map[string]answerer {
	return map[string]map[string]answerer{
		"/v1/explain":              {http.MethodPost: d.looked(d.explain)},
		"/v1/record/{seq}/explain": {http.MethodGet: d.looked(d.decision)},
		"/v1/record/{seq}/today":   {http.MethodPost: d.looked(d.today)},
		"/v1/record/{seq}/case":    {http.MethodGet: d.looked(d.recordCase)},
		"/v1/preview":              {http.MethodGet: d.preview},
		"/v1/memories":             {http.MethodGet: d.looked(d.memories), http.MethodPost: d.looked(d.remember)},
		"/v1/memories/{id}":        {http.MethodDelete: d.looked(d.forget)},
		"/v1/messages":             {http.MethodGet: d.counted(d.relayed(d.listMessages)), http.MethodPost: d.counted(d.relayed(d.sendMessage))},
		"/v1/folders":              {http.MethodGet: d.looked(d.folders)},
		"/v1/doctor":               {http.MethodGet: d.looked(d.doctor)},
		"/v1/guards":               {http.MethodGet: d.looked(d.guards), http.MethodPost: d.looked(d.setGuards)},
	}
}

// Bounds of requests of somebody who looks at what there is and was.
const (
	lookTime    = 20 * time.Second
	mostLooking = 8 // at a time; the others wait
)

// looked answers a request of somebody who looks: few at a time, so that decisions go
// before, and none for long.
func (d *Server) looked(answer func(http.ResponseWriter, *http.Request, origin) (int, error)) answerer {
	return func(w http.ResponseWriter, r *http.Request, o origin) error {
		if d.Views == nil {
			return problem("nothing-to-stream", "this daemon has nothing to look at")
		}
		ctx, cancel := context.WithTimeout(r.Context(), lookTime)
		defer cancel()
		select {
		case d.looking <- struct{}{}:
			defer func() { <-d.looking }()
		case <-ctx.Done():
			return problem("busy", "%d requests of this kind are under way already; try again", cap(d.looking)).with("Retry-After", "1")
		}
		err := d.counted(answer)(w, r.WithContext(ctx), o)
		if errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil {
			return problem("took-long", "there is no answer after %v: %v; ask for less, or when there is less to do", lookTime, err)
		}
		return err
	}
}

// recordNumber is the number in a request's path.
func recordNumber(r *http.Request) (int64, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	text := r.PathValue("name")
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 {
		return 0, problem("bad-request", "%q is no number of a record; it is the seq of hookway log --json, from 1", clip(text)).at("seq")
	}
	return seq, nil
}

// unfound is the problem of a record that is not there, or cannot be read.
func unfound(err error) error {
	if errors.Is(err, audit.ErrNoSuch) {
		return problem("no-such-record", "%v", err)
	}
	return err
}

// offsetOf reads the place of a page that is told by how many come before it.
func offsetOf(q url.Values) (int, error) {
	text := q.Get("after")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostOffset {
		return 0, problem("bad-request", "after is %q, which no page gave as its next; leave it out to begin with the first", clip(text)).at("after")
	}
	return n, nil
}
