package approve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// State is what has become of a request.
type State string

// The states. All but the first two are final.
const (
	Waiting  State = "open"      // it can be answered
	Allowed  State = "allowed"   // the call passes when it comes
	Used     State = "used"      // it has passed
	Denied   State = "denied"    // a person said no
	TimedOut State = "timed out" // the call waited for an answer, and nobody gave one
	Expired  State = "expired"   // nobody answered in time, or the call did not come again
	Revoked  State = "revoked"   // the answer was taken back
)

// States are all that a request can be in, from the first to the last.
var States = []State{Waiting, Allowed, Used, Denied, TimedOut, Expired, Revoked}

// In the file. Of a request that waits, time tells whether it has expired.
const (
	isWaiting = iota
	isAllowed
	isUsed
	isDenied
	isTimedOut
	isElsewhere // it was answered in the agent's own dialog, nobody knows how
	isRevoked
)

// Request is a call that a person is asked about.
type Request struct {
	Code      string    `json:"code"`
	State     State     `json:"state"`
	Kind      Kind      `json:"kind"`
	Route     Route     `json:"route"`
	Agent     string    `json:"agent,omitempty"`
	Session   string    `json:"session,omitempty"`
	Subagent  string    `json:"subagent,omitempty"` // of the session, which made the call
	Workspace string    `json:"workspace,omitempty"`
	Tool      string    `json:"tool"`
	Input     string    `json:"input"`          // for people, safe to show
	Hook      string    `json:"hook,omitempty"` // who asks
	Rule      string    `json:"rule,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Does      string    `json:"does,omitempty"`      // what it would do, a line each
	HasShape  bool      `json:"has_shape,omitempty"` // it has a shape: ScopeShape can be answered
	Waiters   int       `json:"waiters,omitempty"`   // equal calls that wait in their hooks now
	Place     string    `json:"-"`
	First     time.Time `json:"first"`          // when it was asked about,
	Stopped   time.Time `json:"stopped"`        // and when last
	Until     time.Time `json:"until,omitzero"` // it can be answered, or used
	Answered  time.Time `json:"answered,omitzero"`
	Scope     Scope     `json:"scope,omitempty"`  // of the answer
	Note      string    `json:"note,omitempty"`   // what the person said beside it
	By        string    `json:"by,omitempty"`     // who answered,
	From      string    `json:"from,omitempty"`   // and where
	After     float64   `json:"after_s,omitzero"` // from the first time to the answer, in seconds
	Used      time.Time `json:"used,omitzero"`

	key, shape string
	passes     int
	stored     int
}

// columns of a request; the first parameter is since when waiters count.
const columns = `code, call, shape, state, kind, route, agent, session, subagent, workspace, tool, input, hook, rule, reason, does, place, first, stopped, until,
	answered, scope, note, by_whom, by_way, passes, used, (SELECT count(*) FROM waiter WHERE waiter.code = request.code AND beat > ?)`

// read reads a row of columns.
func (s *Store) read(row interface{ Scan(...any) error }) (Request, error) {
	var r Request
	var first, stopped, until, answered, used int64
	err := row.Scan(&r.Code, &r.key, &r.shape, &r.stored, &r.Kind, &r.Route, &r.Agent, &r.Session, &r.Subagent, &r.Workspace, &r.Tool, &r.Input, &r.Hook, &r.Rule, &r.Reason, &r.Does, &r.Place,
		&first, &stopped, &until, &answered, &r.Scope, &r.Note, &r.By, &r.From, &r.passes, &used, &r.Waiters)
	if err != nil {
		return r, err
	}
	r.First, r.Stopped, r.Until = sqlite.Moment(first), sqlite.Moment(stopped), sqlite.Moment(until)
	r.Answered, r.Used, r.HasShape = sqlite.Moment(answered), sqlite.Moment(used), r.shape != ""
	if answered > 0 {
		r.After = float64(answered-first) / 1e6
	}
	now := s.now()
	past := !now.Before(r.Until) || max(stopped, answered) > sqlite.Micros(now.Add(clockSlack))
	switch r.stored {
	case isWaiting:
		if r.State = Waiting; past && r.Route == RouteHold {
			r.State = TimedOut
		} else if past {
			r.State = Expired
		}
	case isAllowed:
		if r.State = Allowed; past {
			r.State = Expired
		}
	case isDenied:
		r.State = Denied
	case isTimedOut:
		r.State = TimedOut
	case isElsewhere:
		r.State = Expired
	case isRevoked:
		r.State = Revoked
	default:
		r.State = Used
	}
	return r, nil
}

// alive is since when the waiters are there that count.
func (s *Store) alive() int64 { return sqlite.Micros(s.now().Add(-aliveTime)) }

// List gives the requests of the last hour, the latest first.
func (s *Store) List(ctx context.Context) ([]Request, error) {
	if err := s.forget(ctx); err != nil {
		return nil, s.explain("listed", err)
	}
	rows, err := s.file.QueryContext(ctx, "SELECT "+columns+" FROM request ORDER BY stopped DESC, code", s.alive())
	if err != nil {
		return nil, s.explain("listed", err)
	}
	defer rows.Close()
	var all []Request
	since := s.now().Add(-KeepTime)
	for rows.Next() {
		r, err := s.read(rows)
		if err != nil {
			return nil, s.explain("listed", err)
		}
		if r.State != TimedOut || r.Until.After(since) { // else it may be of a machine that slept
			all = append(all, r)
		}
	}
	return all, s.explain("listed", rows.Err())
}

// Get gives the request of a code, whatever has become of it. If there is none, the error
// is a *RefusedError.
func (s *Store) Get(ctx context.Context, code string) (Request, error) {
	r, err := s.get(ctx, s.file, code)
	return r, s.explain("read", err)
}

// Find gives the request of a code that can be answered. If there is none, the error is a
// *RefusedError.
func (s *Store) Find(ctx context.Context, code string) (Request, error) {
	r, err := s.find(ctx, s.file, code)
	return r, s.explain("read", err)
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) get(ctx context.Context, in querier, code string) (Request, error) {
	r, err := s.read(in.QueryRowContext(ctx, "SELECT "+columns+" FROM request WHERE code = ?", s.alive(), code))
	if errors.Is(err, sql.ErrNoRows) {
		err = &RefusedError{Code: code}
	}
	return r, err
}

func (s *Store) find(ctx context.Context, in querier, code string) (Request, error) {
	r, err := s.get(ctx, in, code)
	if err == nil && r.State != Waiting {
		err = &RefusedError{Code: code, State: r.State, By: r.By, text: r.whyNot(s.now())}
	}
	return r, err
}

// RefusedError is a code, or a token, that nothing can be answered with.
type RefusedError struct {
	Code  string
	State State  // "" means that there is no such code
	By    string // who answered before
	text  string
}

// NewRefused is an answer that does not count for another reason, which text says.
func NewRefused(text string) *RefusedError { return &RefusedError{text: text} }

func (e *RefusedError) Error() string {
	if e.text == "" {
		return fmt.Sprintf("nobody asked about a call under the code %s in the last hour; hookway approvals lists the codes", e.Code)
	}
	return e.text
}

// whyNot says why a request cannot be answered.
func (r *Request) whyNot(now time.Time) string {
	ago := func(t time.Time) string { return now.Sub(t).Round(time.Second).String() }
	who := r.By
	if r.From != "" {
		who += " (" + r.From + ")"
	}
	switch {
	case r.State == Used:
		return fmt.Sprintf("the code %s was used: %s let its call through, which passed %s ago; when the agent is stopped again, it gets a new code", r.Code, who, ago(r.Used))
	case r.State == Allowed:
		return fmt.Sprintf("the call of %s is allowed already, by %s, for %s more; let the agent try again, or take that back: hookway approvals revoke %s", r.Code, who, r.Until.Sub(now).Round(time.Second), r.Code)
	case r.State == Denied:
		return fmt.Sprintf("the call of %s was refused already, by %s, %s ago; hookway approvals revoke %s takes that back", r.Code, who, ago(r.Answered), r.Code)
	case r.State == TimedOut:
		return fmt.Sprintf("%s timed out: nobody answered in %s; when the agent tries again, it gets a new code", r.Code, r.Until.Sub(r.First).Round(time.Second))
	case r.State == Revoked:
		return fmt.Sprintf("the answer to %s was taken back; when the agent tries again, it gets a new code", r.Code)
	case r.stored == isElsewhere:
		return fmt.Sprintf("%s was answered in the agent's own dialog, %s ago", r.Code, ago(r.Answered))
	case !r.Answered.IsZero():
		return fmt.Sprintf("the code %s has expired: it was allowed %s ago, and the call did not come again in %s; let the agent try again, which gives a new code", r.Code, ago(r.Answered), minutes(GrantTime))
	}
	return fmt.Sprintf("the code %s has expired: its call was stopped %s ago, and it could be allowed for %s; let the agent try again, which gives a new code", r.Code, ago(r.Stopped), minutes(r.Until.Sub(r.Stopped)))
}

func minutes(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}
