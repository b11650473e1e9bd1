package approve

import (
	"context"
	"database/sql"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Dialog is a call that its agent asks about in its own dialog, under a request. When the
// call was made, that is the answer.
type Dialog struct {
	Session, Call string // the call in its agent's words
	Code          string
	At            time.Time
}

// inPlace notes that an agent asks about a request in its own dialog.
func inPlace(ctx context.Context, tx *sql.Tx, c *Call, code string, now time.Time) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO dialog (session, call, code, first, at) SELECT ?, ?, code, first, ? FROM request WHERE code = ?",
		c.Session, c.ID, sqlite.Micros(now), code)
	return err
}

// Dialogs are those of requests that are still open, or whose yes is not used, for a process
// that begins.
func (s *Store) Dialogs(ctx context.Context) ([]Dialog, error) {
	rows, err := s.file.QueryContext(ctx, `SELECT dialog.session, dialog.call, dialog.code, at FROM dialog
		JOIN request ON request.code = dialog.code AND request.first = dialog.first WHERE state IN (?, ?, ?)`, isWaiting, isElsewhere, isAllowed)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var all []Dialog
	for rows.Next() {
		var d Dialog
		var at int64
		if err := rows.Scan(&d.Session, &d.Call, &d.Code, &at); err != nil {
			return nil, s.explain("read", err)
		}
		d.At = sqlite.Moment(at)
		all = append(all, d)
	}
	return all, s.explain("read", rows.Err())
}
