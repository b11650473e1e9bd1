package approve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Said is what a person has said of a call.
type Said struct {
	Yes      bool
	Code     string
	Kind     Kind
	Route    Route
	Scope    Scope
	Note     string
	By, From string        // who said it, and where
	Answered time.Time     // when,
	After    time.Duration // and how long after the call was stopped first

	again bool // the same report of the call got it before
}

// String says who said it, from where, when, and how long after it was asked, for the record.
func (s *Said) String() string {
	text := fmt.Sprintf("%s, in %s, at %s", s.By, s.From, s.Answered.UTC().Format(time.RFC3339))
	switch {
	case s.Scope == ScopeOnce:
		text += fmt.Sprintf(", %v after it was stopped first (%s)", s.After.Round(time.Second), s.Code)
	default:
		text += fmt.Sprintf(", for the %s (%s)", s.Scope, s.Code)
	}
	if s.Note != "" {
		text += ": " + s.Note
	}
	return text
}

// Use takes the grant for a call, if there is one: nobody else gets it. When Use returns,
// that is on the disk. A no, and what was said for more than one call, is given as often
// as it is asked for. Nil is that nobody said anything.
//
// The same report of a call gets the same grant again: the process that used it may have
// died before it could answer.
func (s *Store) Use(ctx context.Context, c Call) (*Said, error) {
	key, err := c.key()
	if err == nil {
		err = s.forget(ctx)
	}
	var shape string
	if err == nil {
		shape, err = c.shape()
	}
	if unbound := (*UnboundError)(nil); errors.As(err, &unbound) { // nobody was asked about it
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("read", err)
	}
	var some bool
	err = s.file.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM request WHERE call = ? AND state IN (?, ?, ?))
		OR EXISTS (SELECT 1 FROM standing WHERE matches IN (?, ?, ?))`, key, isAllowed, isDenied, isUsed, key, shape, deedOf(shape)).Scan(&some)
	if err != nil {
		return nil, s.explain("read", err)
	}
	if !some { // nearly always: nobody has to wait for writers
		return nil, nil
	}
	var said *Said
	err = s.write(ctx, func(tx *sql.Tx) error {
		for _, look := range []func() (*Said, error){
			func() (*Said, error) { return s.denied(ctx, tx, key, &c) },
			func() (*Said, error) { return s.stands(ctx, tx, key, shape, &c, false) },
			func() (*Said, error) { return s.take(ctx, tx, key, &c) },
			func() (*Said, error) { return s.stands(ctx, tx, key, shape, &c, true) },
		} {
			var err error
			if said, err = look(); said != nil || err != nil {
				return errors.Join(err, s.count(ctx, tx, said))
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.explain("used", err)
	}
	return said, nil
}

// count notes that an answer for more than one call has decided one.
func (s *Store) count(ctx context.Context, tx *sql.Tx, said *Said) error {
	if said == nil || said.Scope == ScopeOnce || said.again {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE standing SET uses = uses + 1, used = ? WHERE code = ?", sqlite.Micros(s.now()), said.Code)
	return err
}

// saidColumns are those of a request that was answered.
const saidColumns = "code, kind, route, scope, note, by_whom, by_way, first, answered"

func readSaid(row *sql.Row, yes bool) (*Said, error) {
	said := Said{Yes: yes}
	var first, answered int64
	err := row.Scan(&said.Code, &said.Kind, &said.Route, &said.Scope, &said.Note, &said.By, &said.From, &first, &answered)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	said.Answered, said.After = sqlite.Moment(answered), time.Duration(answered-first)*time.Microsecond
	return &said, err
}

// fresh are the bounds of an answer that counts.
func (s *Store) fresh() []any {
	now := s.now()
	return []any{sqlite.Micros(now.Add(-GrantTime)), sqlite.Micros(now.Add(clockSlack))}
}

// denied is a no to the very same call. What was asked about is not blocked by it.
func (s *Store) denied(ctx context.Context, tx *sql.Tx, key string, c *Call) (*Said, error) {
	return readSaid(tx.QueryRowContext(ctx, "SELECT "+saidColumns+" FROM request WHERE call = ? AND state = ? AND kind = ? AND answered > ? ORDER BY answered DESC LIMIT 1",
		key, isDenied, c.kind(), sqlite.Micros(s.now().Add(-GrantTime))), false)
}

// may are the kinds of grants that let a call pass: a yes to an ask passes no block.
const may = " AND (kind = '" + string(KindBlock) + "' OR kind = ?)"

// take takes a grant.
func (s *Store) take(ctx context.Context, tx *sql.Tx, key string, c *Call) (*Said, error) {
	if c.Report != "" {
		args := append([]any{key, c.kind(), c.Report}, s.fresh()...)
		said, err := readSaid(tx.QueryRowContext(ctx, "SELECT "+saidColumns+" FROM request WHERE call = ?"+may+
			" AND code IN (SELECT code FROM pass WHERE report = ?) AND answered > ? AND answered <= ?", args...), true)
		if said != nil || err != nil {
			if said != nil {
				said.again = true
			}
			return said, err
		}
	}
	args := append([]any{isUsed, isAllowed, sqlite.Micros(s.now()), key, isAllowed, c.kind()}, s.fresh()...)
	said, err := readSaid(tx.QueryRowContext(ctx, `UPDATE request SET state = CASE WHEN passes <= 1 THEN ? ELSE ? END, passes = passes - 1, used = ? WHERE code =
		(SELECT code FROM request WHERE call = ? AND state = ?`+may+` AND answered > ? AND answered <= ? ORDER BY kind DESC LIMIT 1) RETURNING `+saidColumns, args...), true)
	if said != nil && err == nil && c.Report != "" {
		_, err = tx.ExecContext(ctx, "INSERT OR IGNORE INTO pass (code, report) VALUES (?, ?)", said.Code, c.Report)
	}
	return said, err
}

// stands is what was said for more than this call. Only a yes for a shape is for all
// sessions: a call without a session has none that another call could share.
func (s *Store) stands(ctx context.Context, tx *sql.Tx, key, shape string, c *Call, yes bool) (*Said, error) {
	now := s.now()
	if !yes {
		shape = deedOf(shape)
	}
	a, err := readStanding(tx.QueryRowContext(ctx, "SELECT "+standingColumns+` FROM standing WHERE matches IN (?, ?) AND matches <> '' AND yes = ?
		AND (yes AND scope = ? OR session <> '' AND session = ?)`+may+
		" AND until > ? AND (since <= ? OR NOT yes) ORDER BY since DESC LIMIT 1",
		key, shape, yes, ScopeShape, c.Session, c.kind(), sqlite.Micros(now), sqlite.Micros(now.Add(clockSlack))))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &Said{Yes: yes, Code: a.Code, Kind: a.Kind, Scope: a.Scope, Note: a.Note, By: a.By, From: a.From, Answered: a.Since, After: time.Duration(a.After * float64(time.Second))}, err
}

// Return undoes the use of a grant: the call was refused all the same. It can be used
// again, for as long as it would have lived.
func (s *Store) Return(ctx context.Context, c Call, used *Said) error {
	if used == nil || used.Scope != ScopeOnce {
		return nil
	}
	key, err := c.key()
	if err != nil {
		return err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		if c.Report != "" {
			if _, err := tx.ExecContext(ctx, "DELETE FROM pass WHERE code = ? AND report = ?", used.Code, c.Report); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE request SET state = ?, used = 0, passes = passes + 1 WHERE code = ? AND call = ? AND state IN (?, ?)", isAllowed, used.Code, key, isUsed, isAllowed)
		return err
	})
	return s.explain("changed", err)
}

// InDialog notes that a request was answered in the agent's own dialog: the call was made,
// or that is not known. A yes from elsewhere that did not end the dialog is used up by
// that call.
func (s *Store) InDialog(ctx context.Context, code string, made bool) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		now, state, used := sqlite.Micros(s.now()), isElsewhere, int64(0)
		if made {
			state, used = isUsed, now
		}
		_, err := tx.ExecContext(ctx, "UPDATE request SET state = ?, answered = ?, used = ?, by_whom = ?, by_way = ? WHERE code = ? AND state IN (?, ?)",
			state, now, used, "the agent's user", "the agent's own dialog", code, isWaiting, isElsewhere)
		if err == nil && made {
			_, err = tx.ExecContext(ctx, "UPDATE request SET state = CASE WHEN passes <= 1 THEN ? ELSE state END, passes = passes - 1, used = ? WHERE code = ? AND state = ?",
				isUsed, now, code, isAllowed)
		}
		if err == nil && made {
			_, err = tx.ExecContext(ctx, "DELETE FROM dialog WHERE code = ?", code)
		}
		return err
	})
	return s.explain("changed", err)
}
