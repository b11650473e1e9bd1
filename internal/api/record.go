package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
)

// Records answers questions about what is on record.
type Records interface {
	// Page gives a page of records. An [index.ErrQuery] says what is wrong with the query.
	Page(ctx context.Context, q index.Query) (*index.Page, error)

	// One gives the record of a number. An [index.ErrNone] says that there is none.
	One(ctx context.Context, seq int64) (*index.One, error)

	// Stats gives figures.
	Stats(ctx context.Context, q index.StatsQuery) (*index.Stats, error)

	// Where gives the workspace that a folder is in, or the folder if it is in none.
	Where(folder string) (workspace, alone string, err error)
}

// recordFilters are the parameters that say which records are wanted.
var recordFilters = []string{"session", "agent", "event", "action", "hook", "rule", "would", "cwd", "since", "until", "q", "limit", "after", "order"}

// oneRecord is the answer of GET /v1/record/{seq}.
type oneRecord struct {
	Record    audit.Record    `json:"record"`
	Event     json.RawMessage `json:"event"`    // as the hooks got it; null if it is not kept
	NotKept   string          `json:"not_kept"` // why it is not there, or cannot be fired again
	Newer     int64           `json:"newer"`    // number of the record after this one; 0: there is none
	Older     int64           `json:"older"`
	RevisedBy []audit.Record  `json:"revised_by"` // say that the agent did not take the answer
}

// recorded gives what answers questions about the record.
func (d *Server) recorded() (Records, error) {
	if d.Records == nil {
		return nil, problem("no-record", "there is no audit log; hookway doctor may find out why")
	}
	return d.Records, nil
}

// record answers GET /v1/record.
func (d *Server) record(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	records, err := d.recorded()
	if err != nil {
		return 0, err
	}
	q, err := query(r, recordFilters...)
	if err != nil {
		return 0, err
	}
	wanted := index.Query{Rule: q.Get("rule"), Text: q.Get("q"), After: q.Get("after")}
	if wanted.Filter, err = d.recordFilter(q, time.Now()); err != nil {
		return 0, err
	}
	if wanted.Limit, err = limitOf(q, index.MostLimit); err != nil {
		return 0, err
	}
	switch q.Get("order") {
	case "", "desc":
	case "asc":
		wanted.Oldest = true
	default:
		return 0, problem("bad-request", "order is %q; it is asc, the oldest first, or desc", clip(q.Get("order"))).at("order")
	}
	page, err := records.Page(r.Context(), wanted)
	if err != nil {
		return 0, unanswerable(err)
	}
	writeJSON(w, "application/json", http.StatusOK, page)
	return 0, nil
}

// unanswerable is the problem of a query, if that is what the error is about.
func unanswerable(err error) error {
	switch {
	case errors.Is(err, index.ErrQuery):
		return problem("bad-request", "%v", err)
	case errors.Is(err, index.ErrOther):
		return problem("other-log", "%v", err).at("after")
	case errors.Is(err, index.ErrNone):
		return problem("no-such-record", "%v", err)
	}
	return err
}

// limitOf reads how long a page is; 0 is the default.
func limitOf(q url.Values, most int) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, problem("bad-request", "limit is %q; it is from 1 to %d", clip(text), most).at("limit")
	}
	return n, nil
}

// recordFilter reads which records are wanted: the words are those of hookway log.
func (d *Server) recordFilter(q url.Values, now time.Time) (f audit.Filter, err error) {
	f = audit.Filter{Session: q.Get("session"), Agent: q.Get("agent"), Event: q.Get("event"), Action: q.Get("action"), Hook: q.Get("hook")}
	if f.Action != "" {
		others := []string{audit.Observed, audit.Repeat, audit.Untaken}
		if _, err := hook.ParseAction(f.Action); err != nil && !slices.Contains(others, f.Action) {
			return f, problem("bad-request", "action: %v; or %s", err, strings.Join(others, ", ")).at("action")
		}
	}
	if f.Would, err = flagOf(q, "would"); err != nil {
		return f, err
	}
	if f.Since, err = timeOf(q, "since", now); err != nil {
		return f, err
	}
	if f.Until, err = timeOf(q, "until", now); err != nil {
		return f, err
	}
	if !f.Until.IsZero() && f.Since.After(f.Until) {
		return f, problem("bad-request", "since is after until, so that nothing can be between them").at("since")
	}
	cwd := q.Get("cwd")
	if cwd == "" {
		return f, nil
	}
	if !filepath.IsAbs(cwd) {
		return f, problem("bad-request", "cwd: %q is not an absolute path", cwd).at("cwd")
	}
	f.Workspace, f.Folder, err = d.Records.Where(filepath.Clean(cwd))
	return f, err
}

func flagOf(q url.Values, name string) (bool, error) {
	switch q.Get(name) {
	case "true", "1":
		return true, nil
	case "", "false", "0":
		return false, nil
	}
	return false, problem("bad-request", "%s is %q; it is true or false", name, clip(q.Get(name))).at(name)
}

// timeOf reads a time, or how long ago it is; zero if nothing is said.
func timeOf(q url.Values, name string, now time.Time) (time.Time, error) {
	text := q.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 1e6 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, problem("bad-request", "%s is %q; use a time such as 2006-01-02T15:04:05Z, or how long ago it is: 10m, 3d", name, clip(text)).at(name)
}

// oneRecord answers GET /v1/record/{seq}.
func (d *Server) oneRecord(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	records, err := d.recorded()
	if err != nil {
		return 0, err
	}
	if _, err := query(r); err != nil {
		return 0, err
	}
	seq, err := seqOf(r)
	if err != nil {
		return 0, err
	}
	one, err := records.One(r.Context(), seq)
	if one == nil {
		return 0, unanswerable(err)
	}
	out := oneRecord{Record: one.Record, NotKept: one.Whole.NotReplayable, Newer: one.Newer, Older: one.Older, RevisedBy: one.RevisedBy}
	if err != nil {
		out.NotKept = fmt.Sprint(err)
	}
	if one.Whole.Event != nil {
		out.Event = one.Whole.Event.Payload
	}
	if out.RevisedBy == nil {
		out.RevisedBy = []audit.Record{}
	}
	writeJSON(w, "application/json", http.StatusOK, out)
	return 0, nil
}

// seqOf is the number of a record in a request's path.
func seqOf(r *http.Request) (int64, error) {
	seq, err := strconv.ParseInt(r.PathValue("name"), 10, 64)
	if err != nil || seq < 1 {
		return 0, problem("bad-request", "%q is not the number of a record", clip(r.PathValue("name"))).at("seq")
	}
	return seq, nil
}

// stats answers GET /v1/stats.
func (d *Server) stats(w http.ResponseWriter, r *http.Request, _ origin) (int, error) {
	records, err := d.recorded()
	if err != nil {
		return 0, err
	}
	q, err := query(r, "since", "until", "agent", "cwd", "tz")
	if err != nil {
		return 0, err
	}
	now := time.Now()
	wanted := index.StatsQuery{}
	if wanted.Filter, err = d.recordFilter(q, now); err != nil {
		return 0, err
	}
	if wanted.Until.IsZero() {
		wanted.Until = now
	}
	if wanted.Zone, err = time.LoadLocation(q.Get("tz")); err != nil {
		return 0, problem("bad-request", "tz: there is no time zone %q; use a name such as Europe/Berlin, or UTC", clip(q.Get("tz"))).at("tz")
	}
	stats, err := records.Stats(r.Context(), wanted)
	if err != nil {
		return 0, err
	}
	writeJSON(w, "application/json", http.StatusOK, stats)
	return 0, nil
}

// recordNumber is the number in a request's path.
func recordNumber(r *http.Request) (int64, error) {
	if _, err := query(r); err != nil {
		return 0, err
	}
	text := r.PathValue("name")
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 {
		return 0, problem("bad-request", "%q is not the number of a record; it is the seq of hookway log --json, from 1", clip(text)).at("seq")
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
