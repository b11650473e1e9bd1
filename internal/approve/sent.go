package approve

import (
	"context"

	"github.com/hookway/hookway/internal/sqlite"
)

// sent is the fourth form: what channels were told outlasts who told them.
const sent = `
CREATE TABLE sent (
	code    TEXT NOT NULL,
	channel TEXT NOT NULL,
	first   INTEGER NOT NULL, -- of the request, whose code another one may have later
	state   TEXT NOT NULL,    -- that was told
	PRIMARY KEY (code, channel)
) WITHOUT ROWID;
`

// Sent gives the states of requests that a channel was told, by their codes, of those
// that are still listed.
func (s *Store) Sent(ctx context.Context, channel string) (map[string]State, error) {
	rows, err := s.file.QueryContext(ctx, "SELECT sent.code, sent.state FROM sent JOIN request ON request.code = sent.code AND request.first = sent.first WHERE channel = ?", channel)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	told := map[string]State{}
	for rows.Next() {
		var code string
		var state State
		if err := rows.Scan(&code, &state); err != nil {
			return nil, s.explain("read", err)
		}
		told[code] = state
	}
	return told, s.explain("read", rows.Err())
}

// MarkSent notes that a channel was told the state of a request. Nobody is woken by that.
func (s *Store) MarkSent(ctx context.Context, r Request, channel string) error {
	_, err := s.file.ExecContext(ctx, "INSERT OR REPLACE INTO sent (code, channel, first, state) VALUES (?, ?, ?, ?)", r.Code, channel, sqlite.Micros(r.First), r.State)
	return s.explain("changed", err)
}
