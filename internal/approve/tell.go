package approve

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// told is the sixth form: an answer counts as told when the agent has it, and what an agent
// asks about in its own dialog outlasts who judged it.
const told = `
ALTER TABLE request ADD COLUMN subagent TEXT NOT NULL DEFAULT ''; -- of the session, that made the call
ALTER TABLE sent ADD COLUMN until INTEGER NOT NULL DEFAULT 0;     -- somebody tells it now, who may fail; 0: it was told
CREATE TABLE dialog (
	session TEXT NOT NULL,
	call    TEXT NOT NULL,    -- as its agent names it
	code    TEXT NOT NULL,
	first   INTEGER NOT NULL, -- of the request
	at      INTEGER NOT NULL,
	PRIMARY KEY (session, call)
) WITHOUT ROWID;
`

// agentChannel stands for the agent itself, among the channels that are told of requests.
// No channel of the configuration has such a name.
const agentChannel = "(agent)"

// tellTime is how long whoever tells an answer has for it. Who fails, or dies, leaves it to
// the next one.
const tellTime = time.Minute

// Agent is who is told answers: a session, or a sub-agent of it.
type Agent struct{ Session, Subagent string }

// Tell gives the answers to refused calls of an agent that it was not told of yet. Whoever
// gets one has to tell it, and then says so with [Store.Told], or [Store.Untold]: meanwhile
// nobody else does. waits is how many calls of the session have no answer that was told. A
// call that was made since is none of them.
func (s *Store) Tell(ctx context.Context, to Agent) (answered []Request, waits int, err error) {
	all, waits, err := s.untold(ctx, s.file, to)
	if err != nil || len(all) == 0 {
		return nil, waits, s.explain("read", err)
	}
	err = s.file.Write(ctx, func(tx *sql.Tx) (err error) {
		answered, waits, err = s.untold(ctx, tx, to)
		for i := range answered {
			if err == nil {
				_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO sent (code, channel, first, state, until) VALUES (?, ?, ?, ?, ?)",
					answered[i].Code, agentChannel, sqlite.Micros(answered[i].First), answered[i].State, sqlite.Micros(s.now().Add(tellTime)))
			}
		}
		return err
	})
	return answered, waits, s.explain("changed", err)
}

// Told notes that the agent has an answer that Tell gave.
func (s *Store) Told(ctx context.Context, r Request) error {
	_, err := s.file.ExecContext(ctx, "UPDATE sent SET until = 0 WHERE code = ? AND channel = ? AND first = ?", r.Code, agentChannel, sqlite.Micros(r.First))
	return s.explain("changed", err)
}

// Untold has an answer told by somebody else: it could not be told.
func (s *Store) Untold(ctx context.Context, r Request) error {
	_, err := s.file.ExecContext(ctx, "DELETE FROM sent WHERE code = ? AND channel = ? AND first = ? AND until <> 0", r.Code, agentChannel, sqlite.Micros(r.First))
	return s.explain("changed", err)
}

// Heard notes that the agent was told the answer to a request otherwise.
func (s *Store) Heard(ctx context.Context, code string) error {
	_, err := s.file.ExecContext(ctx, "INSERT OR REPLACE INTO sent (code, channel, first, state) SELECT code, ?, first, '' FROM request WHERE code = ?", agentChannel, code)
	return s.explain("changed", err)
}

// Inherit has the agent itself told what a sub-agent of it waited for: that has ended.
func (s *Store) Inherit(ctx context.Context, of Agent) error {
	_, err := s.file.ExecContext(ctx, "UPDATE request SET subagent = '' WHERE session = ? AND subagent = ?", of.Session, nameOf(of.Subagent))
	return s.explain("changed", err)
}

// notTold are the requests of refused calls whose answers the agent does not have.
const notTold = ` FROM request WHERE route = ? AND state IN (?, ?, ?)
	AND NOT EXISTS (SELECT 1 FROM sent WHERE sent.code = request.code AND sent.channel = ? AND sent.first = request.first AND sent.until = 0)`

var notToldArgs = []any{RouteRetry, isWaiting, isAllowed, isDenied, agentChannel}

type reader interface {
	querier
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// untold are the requests of refused calls that were answered, and that nobody tells now;
// and how many there are of the session whose answers were not told.
func (s *Store) untold(ctx context.Context, in reader, to Agent) (answered []Request, waits int, err error) {
	now := sqlite.Micros(s.now())
	args := append(slices.Clone(notToldArgs), to.Session)
	err = in.QueryRowContext(ctx, "SELECT count(*)"+notTold+" AND session = ? AND (state = ? OR until > ?)", append(slices.Clone(args), isDenied, now)...).Scan(&waits)
	if err != nil {
		return nil, 0, err
	}
	args = append(append([]any{s.alive()}, args...), nameOf(to.Subagent), agentChannel, now, sqlite.Micros(s.now().Add(tellTime+clockSlack)))
	rows, err := in.QueryContext(ctx, "SELECT "+columns+notTold+` AND session = ? AND subagent = ?
		AND NOT EXISTS (SELECT 1 FROM sent WHERE sent.code = request.code AND sent.channel = ? AND sent.first = request.first AND sent.until > ? AND sent.until <= ?)
		ORDER BY answered`, args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := s.read(rows)
		if err != nil {
			return nil, 0, err
		}
		if r.State == Allowed || r.State == Denied {
			answered = append(answered, r)
		}
	}
	return answered, waits, rows.Err()
}

// Refused are the sessions that have refused calls whose answers were not told.
func (s *Store) Refused(ctx context.Context) (sessions []string, err error) {
	rows, err := s.file.QueryContext(ctx, "SELECT DISTINCT session"+notTold, notToldArgs...)
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
