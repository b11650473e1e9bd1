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

// Offer notes a call as stopped, and gives the code under which a person may allow it.
// The same call has the same code until that was used or has expired. place is where
// the judge runs.
func (s *Store) Offer(ctx context.Context, c Call, place string) (code string, err error) {
	key, err := c.key()
	if err != nil {
		return "", err
	}
	err = s.file.Write(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if err := sweep(ctx, tx, now); err != nil {
			return err
		}
		if code, err = again(ctx, tx, key, now); code != "" || err != nil {
			return err
		}
		if err := s.makeRoom(ctx, tx, c.Session, now); err != nil {
			return err
		}
		code, err = insert(ctx, tx, key, &c, place, now)
		return err
	})
	if err != nil {
		return "", s.explain("noted", err)
	}
	return code, nil
}

// old is what is to be forgotten: it is older than what is listed, or was noted in what is
// the future now.
const old = " FROM request WHERE max(stopped, answered, used) < ? OR max(stopped, answered, used) > ?"

func bounds(now time.Time) []any {
	return []any{sqlite.Micros(now.Add(-KeepTime)), sqlite.Micros(now.Add(clockSlack))}
}

// sweep forgets what is old.
func sweep(ctx context.Context, tx *sql.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx, "DELETE"+old, bounds(now)...)
	return err
}

// forget forgets what is old, if something is: nobody waits for writers if not.
func (s *Store) forget(ctx context.Context) error {
	var n int
	if err := s.file.QueryRowContext(ctx, "SELECT count(*)"+old, bounds(s.now())...).Scan(&n); err != nil || n == 0 {
		return err
	}
	return s.file.Write(ctx, func(tx *sql.Tx) error { return sweep(ctx, tx, s.now()) })
}

// again finds the code that a call has, and makes it last.
func again(ctx context.Context, tx *sql.Tx, key string, now time.Time) (code string, err error) {
	var state int
	err = tx.QueryRowContext(ctx, "SELECT code, state FROM request WHERE call = ? AND (state = ? AND stopped > ? OR state = ? AND answered > ?) ORDER BY state DESC LIMIT 1",
		key, isStopped, sqlite.Micros(now.Add(-AnswerTime)), isAllowed, sqlite.Micros(now.Add(-GrantTime))).Scan(&code, &state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err != nil:
		return "", err
	}
	if state == isStopped {
		_, err = tx.ExecContext(ctx, "UPDATE request SET stopped = ? WHERE code = ?", sqlite.Micros(now), code)
	}
	return code, err
}

// makeRoom forgets the oldest call that waits in a session that has many, or in the
// session that has most.
func (s *Store) makeRoom(ctx context.Context, tx *sql.Tx, session string, now time.Time) error {
	since := sqlite.Micros(now.Add(-AnswerTime))
	count := func(query string, args ...any) (n int, err error) {
		return n, tx.QueryRowContext(ctx, "SELECT count(*) FROM request WHERE state = ? AND stopped > ?"+query, append([]any{isStopped, since}, args...)...).Scan(&n)
	}
	all, err := count("")
	if err != nil {
		return err
	}
	mine, err := count(" AND session = ?", session)
	switch {
	case err != nil || mine < s.limits.Session && all < s.limits.All:
		return err
	case mine < s.limits.Session:
		err = tx.QueryRowContext(ctx, "SELECT session FROM request WHERE state = ? AND stopped > ? GROUP BY session ORDER BY count(*) DESC LIMIT 1", isStopped, since).Scan(&session)
		if err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM request WHERE code = (SELECT code FROM request WHERE state = ? AND stopped > ? AND session = ? ORDER BY stopped LIMIT 1)",
		isStopped, since, session)
	return err
}

// tries bounds how often a code is drawn that another call has.
const tries = 100

func insert(ctx context.Context, tx *sql.Tx, key string, c *Call, place string, now time.Time) (string, error) {
	name := func(text string) string { return visible.Line(visible.Clip(text, mostName)) }
	text := func(text string) string { return visible.Text(visible.Clip(masks.Text(text), mostReason)) }
	for range tries {
		code := newCode()
		done, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO request (code, call, state, agent, session, workspace, tool, input, rule, reason, does, place, first, stopped)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			code, key, isStopped, name(c.Agent), name(c.Session), name(c.Workspace), name(c.Tool), shown(c.Input), name(c.Rule),
			text(c.Reason), text(does(c.Does)), place, sqlite.Micros(now), sqlite.Micros(now))
		if err != nil {
			return "", err
		}
		if n, err := done.RowsAffected(); n == 1 || err != nil {
			return code, err
		}
	}
	return "", errors.New("every code that was drawn is taken")
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
