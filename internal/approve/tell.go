package approve

import (
	"context"
	"database/sql"

	"github.com/hookway/hookway/internal/sqlite"
)

// agentChannel stands for the agent itself, among the channels that are told of requests.
// No channel of the configuration has such a name.
const agentChannel = "(agent)"

// Tell gives the answers to refused calls of a session that its agent was not told of yet.
// Whoever gets one has to tell it: nobody else does. waits is how many refused calls still
// wait for an answer. A call that was made since is none of them.
func (s *Store) Tell(ctx context.Context, session string) (answered []Request, waits int, err error) {
	all, waits, err := s.untold(ctx, s.file, session)
	if err != nil || len(all) == 0 {
		return nil, waits, s.explain("read", err)
	}
	err = s.file.Write(ctx, func(tx *sql.Tx) (err error) {
		answered, waits, err = s.untold(ctx, tx, session)
		for i := range answered {
			if err == nil {
				_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO sent (code, channel, first, state) VALUES (?, ?, ?, ?)",
					answered[i].Code, agentChannel, sqlite.Micros(answered[i].First), answered[i].State)
			}
		}
		return err
	})
	return answered, waits, s.explain("changed", err)
}

// Heard notes that the agent was told the answer to a request otherwise.
func (s *Store) Heard(ctx context.Context, code string) error {
	_, err := s.file.ExecContext(ctx, "INSERT OR REPLACE INTO sent (code, channel, first, state) SELECT code, ?, first, '' FROM request WHERE code = ?", agentChannel, code)
	return s.explain("changed", err)
}

// Untold has an answer told by somebody else: it could not be told.
func (s *Store) Untold(ctx context.Context, r Request) error {
	_, err := s.file.ExecContext(ctx, "DELETE FROM sent WHERE code = ? AND channel = ?", r.Code, agentChannel)
	return s.explain("changed", err)
}

// untold are the requests of refused calls that were answered, and how many were not.
func (s *Store) untold(ctx context.Context, q interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, session string) (answered []Request, waits int, err error) {
	rows, err := q.QueryContext(ctx, "SELECT "+columns+` FROM request WHERE session = ? AND route = ? AND state IN (?, ?, ?)
		AND NOT EXISTS (SELECT 1 FROM sent WHERE sent.code = request.code AND sent.channel = ? AND sent.first = request.first) ORDER BY answered`,
		s.alive(), session, RouteRetry, isWaiting, isAllowed, isDenied, agentChannel)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := s.read(rows)
		if err != nil {
			return nil, 0, err
		}
		switch r.State {
		case Waiting:
			waits++
		case Allowed, Denied:
			answered = append(answered, r)
		}
	}
	return answered, waits, rows.Err()
}

// Refused are the sessions that have refused calls whose answers were not told.
func (s *Store) Refused(ctx context.Context) (sessions []string, err error) {
	rows, err := s.file.QueryContext(ctx, "SELECT DISTINCT session FROM request WHERE route = ? AND state IN (?, ?, ?)", RouteRetry, isWaiting, isAllowed, isDenied)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	for rows.Next() {
		var session string
		if err := rows.Scan(&session); err != nil {
			return nil, s.explain("read", err)
		}
		sessions = append(sessions, session)
	}
	return sessions, s.explain("read", rows.Err())
}
