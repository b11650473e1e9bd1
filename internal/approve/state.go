package approve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// State is what has become of a stopped call.
type State string

// The states. A request goes down this list, or expires.
const (
	Stopped State = "stopped" // it can be allowed
	Allowed State = "allowed" // the next call of this kind passes
	Used    State = "used"    // it has passed
	Expired State = "expired" // nobody answered in time, or the call did not come again
)

// In the file; expired is what is too old.
const (
	isStopped = iota
	isAllowed
	isUsed
)

// Request is a call that was stopped.
type Request struct {
	Code      string    `json:"code"`
	State     State     `json:"state"`
	Agent     string    `json:"agent,omitempty"`
	Session   string    `json:"session,omitempty"`
	Workspace string    `json:"workspace,omitempty"`
	Tool      string    `json:"tool"`
	Input     string    `json:"input"` // for people, safe to show
	Rule      string    `json:"rule,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Does      string    `json:"does,omitempty"` // what it would do, a line each
	Place     string    `json:"-"`
	Stopped   time.Time `json:"stopped"`        // last
	Until     time.Time `json:"until,omitzero"` // it can be allowed, or used
	Answered  time.Time `json:"allowed,omitzero"`
	By        string    `json:"by,omitempty"`     // who allowed it,
	From      string    `json:"from,omitempty"`   // and where
	After     float64   `json:"after_s,omitzero"` // from the first stop to the answer, in seconds
	Used      time.Time `json:"used,omitzero"`

	key string
}

const columns = "code, call, state, agent, session, workspace, tool, input, rule, reason, does, place, first, stopped, answered, by_whom, by_way, used"

// read reads a row of columns.
func (s *Store) read(row interface{ Scan(...any) error }) (Request, error) {
	var r Request
	var state int
	var first, stopped, answered, used int64
	err := row.Scan(&r.Code, &r.key, &state, &r.Agent, &r.Session, &r.Workspace, &r.Tool, &r.Input, &r.Rule, &r.Reason, &r.Does, &r.Place,
		&first, &stopped, &answered, &r.By, &r.From, &used)
	if err != nil {
		return r, err
	}
	r.Stopped, r.Answered, r.Used = sqlite.Moment(stopped), sqlite.Moment(answered), sqlite.Moment(used)
	if answered > 0 {
		r.After = float64(answered-first) / 1e6
	}
	now := s.now()
	switch state {
	case isStopped:
		r.State, r.Until = Stopped, r.Stopped.Add(AnswerTime)
	case isAllowed:
		r.State, r.Until = Allowed, r.Answered.Add(GrantTime)
	default:
		r.State = Used
	}
	if since := max(stopped, answered); state != isUsed && (!now.Before(r.Until) || since > sqlite.Micros(now.Add(clockSlack))) {
		r.State = Expired
	}
	return r, nil
}

// List gives the calls that were stopped in the last hour, the latest first.
func (s *Store) List(ctx context.Context) ([]Request, error) {
	now := s.now()
	if err := s.forget(ctx); err != nil {
		return nil, s.explain("listed", err)
	}
	rows, err := s.file.QueryContext(ctx, "SELECT "+columns+" FROM request WHERE stopped BETWEEN ? AND ? ORDER BY stopped DESC, code",
		sqlite.Micros(now.Add(-KeepTime)), sqlite.Micros(now.Add(clockSlack)))
	if err != nil {
		return nil, s.explain("listed", err)
	}
	defer rows.Close()
	var all []Request
	for rows.Next() {
		r, err := s.read(rows)
		if err != nil {
			return nil, s.explain("listed", err)
		}
		all = append(all, r)
	}
	return all, s.explain("listed", rows.Err())
}

// Find gives the request of a code that can be allowed. If there is none, the error is a
// *RefusedError.
func (s *Store) Find(ctx context.Context, code string) (Request, error) {
	r, err := s.find(ctx, s.file, code)
	return r, s.explain("read", err)
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) find(ctx context.Context, in querier, code string) (Request, error) {
	r, err := s.read(in.QueryRowContext(ctx, "SELECT "+columns+" FROM request WHERE code = ?", code))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return r, &RefusedError{Code: code}
	case err != nil:
		return r, err
	case r.State != Stopped:
		return r, &RefusedError{Code: code, State: r.State, text: r.whyNot(s.now())}
	}
	return r, nil
}

// RefusedError is a code that allows nothing.
type RefusedError struct {
	Code  string
	State State // "" means that there is no such code
	text  string
}

func (e *RefusedError) Error() string {
	if e.text == "" {
		return fmt.Sprintf("no call was stopped under the code %s in the last hour; hookway allow lists the codes", e.Code)
	}
	return e.text
}

// whyNot says why a request cannot be allowed.
func (r *Request) whyNot(now time.Time) string {
	ago := func(t time.Time) string { return now.Sub(t).Round(time.Second).String() }
	switch {
	case r.State == Used:
		return fmt.Sprintf("the code %s was used: its call passed %s ago; when the agent is stopped again, it gets a new code", r.Code, ago(r.Used))
	case r.State == Allowed:
		return fmt.Sprintf("the call of %s is allowed already, for %s more; let the agent try again", r.Code, r.Until.Sub(now).Round(time.Second))
	case !r.Answered.IsZero():
		return fmt.Sprintf("the code %s has expired: it was allowed %s ago, and the call did not come again in %s; let the agent try again, which gives a new code", r.Code, ago(r.Answered), minutes(GrantTime))
	}
	return fmt.Sprintf("the code %s has expired: its call was stopped %s ago, and it could be allowed for %s; let the agent try again, which gives a new code", r.Code, ago(r.Stopped), minutes(AnswerTime))
}

func minutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d.Minutes())) }
