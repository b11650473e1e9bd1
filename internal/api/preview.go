package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/replay"
)

// Previewer tells what hookway's own rules would have done to the calls of the past.
type Previewer interface {
	// Preview does so for a plan, of which only Agents, Since, Use and Tell count. The
	// error of one that cannot be is a *UnchangedError.
	Preview(ctx context.Context, plan replay.Plan) (*replay.Report, error)
}

// progressTime is how often is told how far a preview is, at most.
const progressTime = 200 * time.Millisecond

// progress is how far a preview is, in bytes of records.
type progress struct {
	Done int64 `json:"done"`
	All  int64 `json:"all"`
}

// preview answers GET /v1/preview with a stream: how far it is, then the result. There is
// one at a time, which ends with its connection.
func (d *Server) preview(w http.ResponseWriter, r *http.Request, _ origin) error {
	plan, err := previewPlan(r)
	if err != nil {
		return err
	}
	if d.Views == nil {
		return problem("nothing-to-stream", "this daemon has nothing to look at")
	}
	select {
	case d.previewing <- struct{}{}:
		defer func() { <-d.previewing }()
	default:
		return problem("busy", "another preview is under way; wait for it, or end it").with("Retry-After", "5")
	}
	if !d.host.Work() {
		return stopping()
	}
	defer d.host.Done(0)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(d.stopped, cancel)()
	if r.Method == http.MethodHead {
		newStream(w)
		return nil
	}
	d.sendPreview(ctx, cancel, newStream(w), plan)
	return nil
}

// sendPreview makes a preview and sends what comes of it. Who takes nothing ends it.
func (d *Server) sendPreview(ctx context.Context, cancel context.CancelFunc, s *stream, plan replay.Plan) {
	var mu sync.Mutex
	var now progress
	plan.Tell = func(done, all int64) {
		mu.Lock()
		now = progress{min(done, all), all}
		mu.Unlock()
	}
	type made struct {
		report *replay.Report
		err    error
	}
	ended := make(chan made, 1)
	go func() {
		report, err := d.Views.Preview(ctx, plan)
		ended <- made{report, err}
	}()
	tick := time.NewTicker(progressTime)
	defer tick.Stop()
	var told progress
	quiet := time.Now()
	for {
		select {
		case m := <-ended:
			if m.err != nil {
				s.event("problem", asProblem(unset(m.err)))
			} else {
				s.event("result", m.report)
			}
			return
		case <-tick.C:
			mu.Lock()
			is := now
			mu.Unlock()
			switch {
			case is != told:
				s.event("progress", is)
				told, quiet = is, time.Now()
			case time.Since(quiet) > heartbeat:
				s.send([]byte(":\n\n"))
				quiet = time.Now()
			}
			if s.err != nil { // the reader has gone
				cancel()
			}
		}
	}
}

// event sends one with a value as JSON.
func (s *stream) event(name string, value any) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "event: %s\ndata: ", name)
	enc := json.NewEncoder(&out) // it ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		s.err = errors.Join(s.err, err)
		return
	}
	out.WriteByte('\n')
	s.send(out.Bytes())
}

// previewPlan reads what is to be previewed.
func previewPlan(r *http.Request) (plan replay.Plan, err error) {
	if err := accepts(r, "text/event-stream"); err != nil {
		return plan, err
	}
	q, err := query(r, "since", "agent", "use")
	if err != nil {
		return plan, err
	}
	plan.Now = time.Now()
	switch q.Get("since") {
	case "":
		plan.Since = plan.Now.AddDate(0, 0, -30)
	case "all":
	default:
		if plan.Since, err = timeOf(q, "since", plan.Now); err != nil {
			return plan, err
		}
	}
	plan.Agents, plan.Use = words(q.Get("agent")), words(q.Get("use"))
	if err := plan.Check(); err != nil {
		return plan, problem("bad-request", "%v", err)
	}
	return plan, nil
}

// words are those of a list with commas; nil is none.
func words(text string) (list []string) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}
