package approve

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Stands gives the answer that holds under a code: for more calls than one, or for the very
// call as long as it has not passed. If there is none, the error is a *RefusedError.
func (s *Store) Stands(ctx context.Context, code string) (Standing, error) {
	now := s.now()
	a, err := readStanding(s.file.QueryRowContext(ctx, "SELECT "+standingColumns+" FROM standing WHERE code = ? AND until > ? AND (since <= ? OR NOT yes)", code, sqlite.Micros(now), sqlite.Micros(now.Add(clockSlack))))
	if errors.Is(err, sql.ErrNoRows) {
		var r Request // one that is forgotten is answered by nothing, too
		if r, err = s.get(ctx, s.file, code); err == nil || errors.As(err, new(*RefusedError)) {
			r.Code = code
			a, err = r.once(now)
		}
	}
	return a, s.explain("read", err)
}

// once is the answer to this very call, if it holds.
func (r *Request) once(now time.Time) (Standing, error) {
	yes := r.State == Allowed
	if r.Scope != ScopeOnce || !yes && r.State != Denied || !now.Before(r.Until) {
		return Standing{}, nothingStands(r.Code)
	}
	return Standing{
		Code: r.Code, Yes: yes, Scope: r.Scope, Kind: r.Kind, Agent: r.Agent, Session: r.Session, Workspace: r.Workspace, Tool: r.Tool, Hook: r.Hook, Rule: r.Rule,
		Does: r.Does, Input: r.Input, Note: r.Note, By: r.By, From: r.From, Since: r.Answered, After: r.After, Until: r.Until,
	}, nil
}

// For says which calls an answer is for.
func (a *Standing) For() string {
	if a.Scope == ScopeOnce {
		return "the call of " + a.Code
	}
	return "calls like those of " + a.Code
}

// nothingStands says of a code that no answer holds under it.
func nothingStands(code string) error {
	return &RefusedError{Code: code, text: "no answer holds under the code " + code + ": its call was not answered, or has passed; hookway approvals lists what holds"}
}

// Revoke takes back an answer, also for the call that it was given for. It is the very
// answer that [Store.Stands] or [Store.Standing] gave, since who may take it back depends on
// what it says: if that is gone, the error is a *RefusedError.
func (s *Store) Revoke(ctx context.Context, seen Standing) (Standing, error) {
	a := seen
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if seen.Scope != ScopeOnce {
			a, err = readStanding(tx.QueryRowContext(ctx, "DELETE FROM standing WHERE code = ? AND yes = ? AND since = ? RETURNING "+standingColumns, seen.Code, seen.Yes, sqlite.Micros(seen.Since)))
			if errors.Is(err, sql.ErrNoRows) {
				err = nothingStands(seen.Code)
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, "UPDATE request SET state = ? WHERE code = ? AND state IN (?, ?)", isRevoked, seen.Code, isAllowed, isDenied)
			}
			return err
		}
		was := isDenied
		if seen.Yes {
			was = isAllowed
		}
		done, err := tx.ExecContext(ctx, "UPDATE request SET state = ? WHERE code = ? AND state = ? AND scope = ? AND answered = ?", isRevoked, seen.Code, was, ScopeOnce, sqlite.Micros(seen.Since))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); n != 1 || err != nil {
			return errors.Join(err, nothingStands(seen.Code))
		}
		return nil
	})
	return a, s.explain("changed", err)
}
