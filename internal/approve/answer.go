package approve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/visible"
)

// Scope says which calls an answer is for.
type Scope string

// The scopes. What has no shape is taken as the very same call; a shape for which there
// is none is a mistake.
const (
	ScopeOnce    Scope = "once"    // this very call; a no holds while the agent might try again at once, GrantTime
	ScopeSession Scope = "session" // calls of this shape in this session, while it lasts
	ScopeShape   Scope = "shape"   // calls of this shape in this workspace, for ScopeTime; a no in this session
)

// ParseScope reads a scope; "" is once.
func ParseScope(text string) (Scope, error) {
	switch s := Scope(text); s {
	case "":
		return ScopeOnce, nil
	case ScopeOnce, ScopeSession, ScopeShape:
		return s, nil
	}
	return "", fmt.Errorf("invalid scope %.40q: want once, session or shape", text)
}

// Answer is what a person says about a request.
type Answer struct {
	Yes   bool
	Scope Scope  // "" is ScopeOnce
	Note  string // for the agent, and the record
	By    string // who answers,
	From  string // and from where
}

// Answer answers a request that [Store.Find] or [Store.List] gave. It is the very request
// that the person saw: if its code stands for something else now, or for nothing, or was
// answered, the error is a *RefusedError, which says by whom.
func (s *Store) Answer(ctx context.Context, seen Request, a Answer) (Request, error) {
	var r Request
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		r, err = s.answer(ctx, tx, &seen, a)
		return err
	})
	return r, s.explain("changed", err)
}

// AnswerAll answers requests of one session together: those that were seen and still
// wait. The others are left out; if none is left, the error is a *RefusedError.
func (s *Store) AnswerAll(ctx context.Context, seen []Request, a Answer) ([]Request, error) {
	var all []Request
	var last error = &RefusedError{text: "there is nothing to answer"}
	for i := range seen {
		if seen[i].Session != seen[0].Session {
			return nil, errors.New("requests of several sessions cannot be answered together")
		}
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		for i := range seen {
			var refused *RefusedError
			r, err := s.answer(ctx, tx, &seen[i], a)
			switch {
			case errors.As(err, &refused):
				last = err
			case err != nil:
				return err
			default:
				all = append(all, r)
			}
		}
		if len(all) == 0 {
			return last
		}
		return nil
	})
	if err != nil {
		return nil, s.explain("changed", err)
	}
	return all, nil
}

func (s *Store) answer(ctx context.Context, tx *sql.Tx, seen *Request, a Answer) (Request, error) {
	r, err := s.find(ctx, tx, seen.Code)
	if err != nil {
		return r, err
	}
	if r.key != seen.key {
		return r, &RefusedError{Code: seen.Code}
	}
	scope, err := ParseScope(string(a.Scope))
	if err != nil {
		return r, err
	}
	if scope == ScopeShape && r.shape == "" {
		return r, fmt.Errorf("the call of %s has no shape: what it would do is not known for sure; answer it once, or for the session", r.Code)
	}
	if r.Session == "" && (scope == ScopeSession || scope == ScopeShape && !a.Yes) {
		return r, fmt.Errorf("the call of %s has no session: answer it once", r.Code)
	}
	a.Scope = scope
	a.Note, a.By, a.From = visible.Line(visible.Clip(a.Note, mostName)), visible.Line(visible.Clip(a.By, mostName)), visible.Line(visible.Clip(a.From, mostName))
	state, now := isDenied, s.now()
	if a.Yes {
		state = isAllowed
	}
	if _, err := tx.ExecContext(ctx, "UPDATE request SET state = ?, answered = ?, until = ?, scope = ?, note = ?, by_whom = ?, by_way = ?, passes = ? WHERE code = ?",
		state, sqlite.Micros(now), sqlite.Micros(now.Add(GrantTime)), a.Scope, a.Note, a.By, a.From, max(1, min(seen.Waiters, r.Waiters)), r.Code); err != nil {
		return r, err
	}
	if a.Scope != ScopeOnce {
		if err := stand(ctx, tx, &r, a, now); err != nil {
			return r, err
		}
	}
	return s.get(ctx, tx, r.Code)
}

// Allow makes a grant of a request, for one call.
func (s *Store) Allow(ctx context.Context, seen Request, a Answer) (Request, error) {
	a.Yes, a.Scope = true, ScopeOnce
	return s.Answer(ctx, seen, a)
}

// stand keeps an answer for more than one call.
func stand(ctx context.Context, tx *sql.Tx, r *Request, a Answer, now time.Time) error {
	matches, session := r.shape, r.Session
	if !a.Yes {
		matches = deedOf(matches)
	}
	if matches == "" {
		matches = r.key
	}
	if a.Scope == ScopeShape && a.Yes {
		session = ""
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO standing (code, yes, scope, matches, kind, agent, session, workspace, tool, hook, rule, does, input, note, by_whom, by_way, asked, since, until)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Code, a.Yes, a.Scope, matches, r.Kind, r.Agent, session, r.Workspace, r.Tool, r.Hook, r.Rule, r.Does, r.Input, a.Note, a.By, a.From, sqlite.Micros(r.First), sqlite.Micros(now), sqlite.Micros(now.Add(ScopeTime)))
	return err
}

// Standing is an answer for more than one call.
type Standing struct {
	Code      string    `json:"code"` // of the request that was answered
	Yes       bool      `json:"yes"`
	Scope     Scope     `json:"scope"`
	Kind      Kind      `json:"kind"`
	Agent     string    `json:"agent,omitempty"`
	Session   string    `json:"session,omitempty"` // "": every one, of a yes for a shape
	Workspace string    `json:"workspace,omitempty"`
	Tool      string    `json:"tool"`
	Hook      string    `json:"hook,omitempty"`
	Rule      string    `json:"rule,omitempty"`
	Does      string    `json:"does,omitempty"` // what such calls do, a line each
	Input     string    `json:"input"`          // of the first one
	Note      string    `json:"note,omitempty"`
	By        string    `json:"by,omitempty"`
	From      string    `json:"from,omitempty"`
	Since     time.Time `json:"since"`            // when it was given,
	After     float64   `json:"after_s,omitzero"` // and how long after its first call was asked about, in seconds
	Until     time.Time `json:"until"`
	Uses      int       `json:"uses"`          // how many calls it decided,
	Used      time.Time `json:"used,omitzero"` // and when the last one
}

const standingColumns = "code, yes, scope, kind, agent, session, workspace, tool, hook, rule, does, input, note, by_whom, by_way, asked, since, until, uses, used"

func readStanding(row interface{ Scan(...any) error }) (a Standing, err error) {
	var asked, since, until, used int64
	err = row.Scan(&a.Code, &a.Yes, &a.Scope, &a.Kind, &a.Agent, &a.Session, &a.Workspace, &a.Tool, &a.Hook, &a.Rule, &a.Does, &a.Input, &a.Note, &a.By, &a.From, &asked, &since, &until, &a.Uses, &used)
	a.Since, a.Until, a.Used = sqlite.Moment(since), sqlite.Moment(until), sqlite.Moment(used)
	if asked > 0 { // else it is older than the file's column
		a.After = float64(since-asked) / 1e6
	}
	return a, err
}

// Standing gives the answers for more than one call that hold, the latest first.
func (s *Store) Standing(ctx context.Context) ([]Standing, error) {
	now := s.now()
	rows, err := s.file.QueryContext(ctx, "SELECT "+standingColumns+" FROM standing WHERE until > ? AND (since <= ? OR NOT yes) ORDER BY since DESC, code", sqlite.Micros(now), sqlite.Micros(now.Add(clockSlack)))
	if err != nil {
		return nil, s.explain("listed", err)
	}
	defer rows.Close()
	var all []Standing
	for rows.Next() {
		a, err := readStanding(rows)
		if err != nil {
			return nil, s.explain("listed", err)
		}
		all = append(all, a)
	}
	return all, s.explain("listed", rows.Err())
}
