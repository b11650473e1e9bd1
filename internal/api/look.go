package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
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

// Bounds of pages.
const (
	usualPage  = 100
	mostPage   = 500
	mostOffset = 10_000
)
