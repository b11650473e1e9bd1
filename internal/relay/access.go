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
}

// write runs do in a transaction, and commits it if do returns no error. Within
// this process one runs at a time: SQLite would let the others sleep and look again.
func (s *Store) write(ctx context.Context, do func(access) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.file.Write(ctx, func(tx *sql.Tx) error {
		// What has begun is short: to watch the context in each step costs more.
		return do(access{ctx: context.WithoutCancel(ctx), s: s, tx: tx})
	})
}

// read gives access outside of a transaction.
func (s *Store) read(ctx context.Context) access { return access{ctx: ctx, s: s} }

// statement prepares a text once for all that use it.
func (a access) statement(text string) (*sql.Stmt, error) {
	known, ok := a.s.statements.Load(text)
	if !ok {
		made, err := a.s.file.PrepareContext(a.ctx, text)
		if err != nil {
			return nil, err
		}
		var late bool
		if known, late = a.s.statements.LoadOrStore(text, made); late {
			_ = made.Close() // another goroutine was first
		}
	}
	statement := known.(*sql.Stmt)
	if a.tx != nil {
		return a.tx.StmtContext(a.ctx, statement), nil
	}
	return statement, nil
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
