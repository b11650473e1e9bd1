package approve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of what is noted of a call beside its input.
const (
	mostName   = 500
	mostReason = 4000
	mostDoes   = 20 // lines of what a call would do
)

// Ask notes that a person is asked about a call, before anybody is. The same call is the
// same request until that is answered and done with, or has expired. So the request may
// be one that is answered already; it has no code if that was for more calls than this
// one. place is where the judge runs.
//
// A call that waits (RouteHold) must be waited for with [Store.Hold].
func (s *Store) Ask(ctx context.Context, c Call, place string) (r Request, err error) {
	key, err := c.key()
	var shape string
	if err == nil {
		shape, err = c.shape()
	}
	if err != nil {
		return r, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if err := sweep(ctx, tx, now); err != nil {
			return err
		}
		code, err := again(ctx, tx, key, &c, now)
		if err == nil && code == "" {
			if r.State, err = s.meanwhile(ctx, tx, key, shape, &c); r.State != "" || err != nil {
				return err
			}
			if err = s.makeRoom(ctx, tx, c.Session, now); err == nil {
				code, err = insert(ctx, tx, key, shape, &c, place, now)
			}
		}
		switch {
		case err != nil:
		case c.route() == RouteHold:
			err = attend(ctx, tx, code, c.Report, now)
		case c.route() == RouteDialog && c.ID != "":
			err = inPlace(ctx, tx, &c, code, now)
		}
		if err != nil {
			return err
		}
		r, err = s.get(ctx, tx, code)
		return err
	})
	return r, s.explain("noted", err)
}

// meanwhile is what was said for more calls than one since [Store.Use] looked.
func (s *Store) meanwhile(ctx context.Context, tx *sql.Tx, key, shape string, c *Call) (State, error) {
	for _, yes := range []bool{false, true} {
		said, err := s.stands(ctx, tx, key, shape, c, yes)
		switch {
		case said == nil || err != nil:
		case yes:
			return Allowed, nil
		default:
			return Denied, nil
		}
	}
	return "", nil
}

// attend notes that a report of a call waits.
func attend(ctx context.Context, tx *sql.Tx, code, report string, now time.Time) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO waiter (code, report, beat) VALUES (?, ?, ?)", code, report, sqlite.Micros(now))
	return err
}

// old is what is to be forgotten: it is older than what is listed, or was noted in what is
// a far future now. What lies nearer is kept: a clock that was set back may be set right. A call that is held may have slept with its machine, or its clock was
// set: it says soon that it is still there, and else it is forgotten later.
const old = ` FROM request WHERE (max(stopped, answered, used) < ? AND until < ? OR max(stopped, answered, used) > ?)
	AND NOT (state = ? AND route = ? AND abs(stopped - ?) < ? AND EXISTS (SELECT 1 FROM waiter WHERE waiter.code = request.code))`

func bounds(now time.Time) []any {
	at := sqlite.Micros(now)
	return []any{sqlite.Micros(now.Add(-KeepTime)), at, sqlite.Micros(now.Add(futureTime)), isWaiting, RouteHold, at, sleepTime.Microseconds()}
}

// sweep forgets what is old.
func sweep(ctx context.Context, tx *sql.Tx, now time.Time) error {
	if _, err := tx.ExecContext(ctx, "DELETE"+old, bounds(now)...); err != nil {
		return err
	}
	for _, table := range []string{"waiter", "pass", "token", "sent", "dialog"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE code NOT IN (SELECT code FROM request)"); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM standing WHERE until < ?", sqlite.Micros(now))
	return err
}

// forget forgets what is old, if something is: nobody waits for writers if not.
func (s *Store) forget(ctx context.Context) error {
	var n int
	if err := s.file.QueryRowContext(ctx, "SELECT count(*)"+old, bounds(s.now())...).Scan(&n); err != nil || n == 0 {
		return err
	}
	err := s.write(ctx, func(tx *sql.Tx) error { return sweep(ctx, tx, s.now()) })
	if errors.Is(s.explain("forgotten", err), sqlite.ErrFull) {
		return nil // what there is can be read; it is forgotten when there is room
	}
	return err
}

// again finds the request that a call has, and makes it last. A yes to an ask is none for
// a call that is blocked.
func again(ctx context.Context, tx *sql.Tx, key string, c *Call, now time.Time) (code string, err error) {
	var state int
	var route Route
	err = tx.QueryRowContext(ctx, `SELECT code, state, route FROM request WHERE call = ? AND kind = ? AND state IN (?, ?, ?) AND (stopped <= ? OR state = ?)
		AND (CASE state WHEN ? THEN answered + ? ELSE until END) > ? ORDER BY state = ? DESC, max(stopped, answered) DESC LIMIT 1`,
		key, c.kind(), isWaiting, isAllowed, isDenied, sqlite.Micros(now.Add(clockSlack)), isDenied, isDenied, GrantTime.Microseconds(), sqlite.Micros(now), isAllowed).Scan(&code, &state, &route)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err != nil || state != isWaiting:
		return code, err
	}
	if c.route() == RouteHold {
		route = RouteHold // it is one as long as somebody waits
	}
	_, err = tx.ExecContext(ctx, "UPDATE request SET stopped = ?, until = max(until, ?), route = ?, subagent = ? WHERE code = ?",
		sqlite.Micros(now), sqlite.Micros(now.Add(c.wait())), route, nameOf(c.Subagent), code)
	return code, err
}

// ManyError is a call that cannot be asked about: too many wait.
type ManyError struct{ Session, All int }

func (e *ManyError) Error() string {
	return fmt.Sprintf("too many calls wait for an answer (%d of this session, %d in all); answer some: hookway approvals lists them", e.Session, e.All)
}

// makeRoom forgets the oldest call in a session that has many, or in the session that has
// most. One that waits in its hook is not forgotten.
func (s *Store) makeRoom(ctx context.Context, tx *sql.Tx, session string, now time.Time) error {
	open := " FROM request WHERE state = ? AND until > ?"
	args := []any{isWaiting, sqlite.Micros(now)}
	count := func(query string, more ...any) (n int, err error) {
		return n, tx.QueryRowContext(ctx, "SELECT count(*)"+open+query, append(args, more...)...).Scan(&n)
	}
	all, err := count("")
	if err != nil {
		return err
	}
	mine, err := count(" AND session = ?", session)
	if err != nil || mine < s.limits.Session && all < s.limits.All {
		return err
	}
	open += " AND code NOT IN (SELECT code FROM waiter WHERE beat > ?)"
	args = append(args, s.alive())
	if mine < s.limits.Session {
		err = tx.QueryRowContext(ctx, "SELECT session"+open+" GROUP BY session ORDER BY count(*) DESC LIMIT 1", args...).Scan(&session)
	}
	var code string
	if err == nil {
		err = tx.QueryRowContext(ctx, "SELECT code"+open+" AND session = ? ORDER BY stopped LIMIT 1", append(args, session)...).Scan(&code)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return &ManyError{Session: mine, All: all}
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM request WHERE code = ?", code)
	}
	return err
}

// tries bounds how often a code is drawn that another call has.
const tries = 100

// nameOf is a name as it is kept.
func nameOf(text string) string { return visible.Line(visible.Clip(text, mostName)) }

func insert(ctx context.Context, tx *sql.Tx, key, shape string, c *Call, place string, now time.Time) (string, error) {
	text := func(text string) string { return visible.Text(visible.Clip(masks.Text(text), mostReason)) }
	changed, err := changedSince(ctx, tx, key, c, now)
	if err != nil {
		return "", err
	}
	for range tries {
		code := newCode()
		done, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO request (code, call, shape, state, kind, route, agent, session, subagent, workspace, tool, input, hook, rule, reason, does, place, first, stopped, until)
			SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM standing WHERE code = ?)`,
			code, key, shape, isWaiting, c.kind(), c.route(), nameOf(c.Agent), nameOf(c.Session), nameOf(c.Subagent), nameOf(c.Workspace), nameOf(c.Tool), shown(c.Input), nameOf(c.Hook), nameOf(c.Rule),
			text(c.Reason)+changed, text(does(c.Does)), place, sqlite.Micros(now), sqlite.Micros(now), sqlite.Micros(now.Add(c.wait())), code)
		if err != nil {
			return "", err
		}
		if n, err := done.RowsAffected(); n == 1 || err != nil {
			return code, err
		}
	}
	return "", errors.New("every code that was drawn is taken")
}

// changedSince says which yes, that still waits for its call, was to one that looks like this
// call: people wonder why they are asked twice.
func changedSince(ctx context.Context, tx *sql.Tx, key string, c *Call, now time.Time) (string, error) {
	var code string
	err := tx.QueryRowContext(ctx, `SELECT code FROM request WHERE call <> ? AND state = ? AND until > ? AND agent = ? AND session = ? AND workspace = ? AND tool = ? AND input = ? ORDER BY answered DESC LIMIT 1`,
		key, isAllowed, sqlite.Micros(now), nameOf(c.Agent), nameOf(c.Session), nameOf(c.Workspace), nameOf(c.Tool), shown(c.Input)).Scan(&code)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return fmt.Sprintf(" (It looks like the call that %s allows, but is another one: since then a file that decides what it runs was changed, or what is not shown of it differs.)", code), err
}

// does is what a call would do, a line each. What is left out is said.
func does(lines []string) string {
	more := ""
	if n := len(lines) - mostDoes; n > 0 {
		lines, more = lines[:mostDoes], fmt.Sprintf("(%d more are not shown)\n", n)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(visible.Line(visible.Clip(line, mostName)) + "\n")
	}
	return b.String() + more
}
