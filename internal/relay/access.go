package relay

import (
	"context"
	"database/sql"
	"errors"
)

// access reads and writes the tables, within a transaction if it has one.
type access struct {
	ctx context.Context
	s   *Store
	tx  *sql.Tx

	own  map[string]*sql.Stmt // statements that the transaction was the first to use
	news *news
}

// news is what a transaction has brought. It is published when that is on the disk.
type news struct {
	agents map[string]string // of this machine, that have something new: key to name
	out    bool              // there is something in the outbox
}

// write runs do in a transaction, and commits it if do returns no error. Within
// this process one runs at a time: SQLite would let the others sleep and look again.
// After it, those who wait for what it has brought are notified.
func (s *Store) write(ctx context.Context, do func(access) error) error {
	news := &news{agents: map[string]string{}}
	err := s.transact(ctx, news, do)
	if err == nil {
		s.spread(news)
	}
	return err
}

func (s *Store) transact(ctx context.Context, news *news, do func(access) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	own := map[string]*sql.Stmt{}
	err := s.file.Write(ctx, func(tx *sql.Tx) error {
		// What has begun is short: to watch the context in each step costs more.
		return do(access{ctx: context.WithoutCancel(ctx), s: s, tx: tx, own: own, news: news})
	})
	for text := range own {
		_, _ = s.read(ctx).statement(text) // for the next time; that will see an error too
	}
	return err
}

// read gives access outside of a transaction.
func (s *Store) read(ctx context.Context) access { return access{ctx: ctx, s: s} }

// statement prepares a text. All that use it share one. What a transaction is the
// first to use it prepares for itself: to wait there for another connection would be
// to wait for those that wait for the transaction.
func (a access) statement(text string) (*sql.Stmt, error) {
	known, ok := a.s.statements.Load(text)
	switch {
	case ok && a.tx != nil:
		return a.tx.StmtContext(a.ctx, known.(*sql.Stmt)), nil
	case ok:
		return known.(*sql.Stmt), nil
	case a.tx != nil && a.own[text] != nil:
		return a.own[text], nil
	case a.tx != nil:
		made, err := a.tx.PrepareContext(a.ctx, text)
		if err == nil {
			a.own[text] = made
		}
		return made, err
	}
	made, err := a.s.file.PrepareContext(a.ctx, text)
	if err != nil {
		return nil, err
	}
	if known, late := a.s.statements.LoadOrStore(text, made); late {
		_ = made.Close() // another goroutine was first
		return known.(*sql.Stmt), nil
	}
	return made, nil
}

// exec runs a statement, and gives how many rows it has changed.
func (a access) exec(text string, args ...any) (int64, error) {
	st, err := a.statement(text)
	if err != nil {
		return 0, err
	}
	result, err := st.ExecContext(a.ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// get reads one row; it reports whether there is one.
func (a access) get(to []any, text string, args ...any) (bool, error) {
	st, err := a.statement(text)
	if err != nil {
		return false, err
	}
	err = st.QueryRowContext(a.ctx, args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// each calls do for each row that was read into to.
func (a access) each(to []any, do func() error, text string, args ...any) error {
	st, err := a.statement(text)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(a.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// strings reads one column.
func (a access) strings(text string, args ...any) ([]string, error) {
	var one string
	var all []string
	err := a.each([]any{&one}, func() error { all = append(all, one); return nil }, text, args...)
	return all, err
}
