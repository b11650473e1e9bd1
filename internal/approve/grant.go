package approve

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Answer is who allows a call, and from where.
type Answer struct{ By, From string }

// Allow makes a grant of a request that [Store.Find] gave. It is the very request that
// the person saw: if its code stands for something else now, or for nothing, the error
// is a *RefusedError.
func (s *Store) Allow(ctx context.Context, seen Request, a Answer) (Request, error) {
	var r Request
	err := s.file.Write(ctx, func(tx *sql.Tx) error {
		var err error
		if r, err = s.find(ctx, tx, seen.Code); err != nil {
			return err
		}
		if r.key != seen.key {
			return &RefusedError{Code: seen.Code}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE request SET state = ?, answered = ?, by_whom = ?, by_way = ? WHERE code = ?",
			isAllowed, sqlite.Micros(s.now()), a.By, a.From, r.Code); err != nil {
			return err
		}
		r, err = s.read(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM request WHERE code = ?", r.Code))
		return err
	})
	return r, s.explain("changed", err)
}

// Grant is a grant that was used.
type Grant struct {
	Code     string
	By, From string        // who gave it, and where
	Answered time.Time     // when,
	After    time.Duration // and how long after the call was stopped first
}

// Use takes the grant for a call, if there is one: nobody else gets it. When Use
// returns, that is on the disk.
func (s *Store) Use(ctx context.Context, c Call) (*Grant, error) {
	key, err := c.key()
	if err == nil {
		err = s.forget(ctx)
	}
	if err != nil {
		return nil, s.explain("read", err)
	}
	var one int
	err = s.file.QueryRowContext(ctx, "SELECT 1 FROM request WHERE call = ? AND state = ?", key, isAllowed).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) { // nearly always: nobody has to wait for writers
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("read", err)
	}
	var g *Grant
	err = s.file.Write(ctx, func(tx *sql.Tx) error {
		now := s.now()
		var used Grant
		var first, answered int64
		err := tx.QueryRowContext(ctx, `UPDATE request SET state = ?, used = ? WHERE code =
			(SELECT code FROM request WHERE call = ? AND state = ? AND answered > ? AND answered <= ? LIMIT 1)
			RETURNING code, by_whom, by_way, first, answered`,
			isUsed, sqlite.Micros(now), key, isAllowed, sqlite.Micros(now.Add(-GrantTime)), sqlite.Micros(now.Add(clockSlack))).
			Scan(&used.Code, &used.By, &used.From, &first, &answered)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		used.Answered, used.After = sqlite.Moment(answered), time.Duration(answered-first)*time.Microsecond
		g = &used
		return err
	})
	if err != nil {
		return nil, s.explain("used", err)
	}
	return g, nil
}

// Return undoes the last use of a call's grant: the call was refused all the same. The
// grant can be used again, for as long as it would have lived.
func (s *Store) Return(ctx context.Context, c Call) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	err = s.file.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE request SET state = ?, used = 0 WHERE code =
			(SELECT code FROM request WHERE call = ? AND state = ? ORDER BY used DESC LIMIT 1)`, isAllowed, key, isUsed)
		return err
	})
	return s.explain("changed", err)
}
