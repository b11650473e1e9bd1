package approve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// How long things live.
const (
	AnswerTime = 10 * time.Minute // that a stopped call can be allowed
	GrantTime  = 10 * time.Minute // that a grant can be used
	KeepTime   = time.Hour        // that a stopped call is listed

	// clockSlack is how far the clock may be set back: what lies further in the future is
	// of another time, and counts as expired.
	clockSlack = time.Minute
)

// Limits bound how many calls wait for an answer.
type Limits struct {
	Session int // of one session; 0 is 32
	All     int // 0 is 512
}

// Options are how a store is opened; the zero value is ready.
type Options struct {
	Limits Limits
	Now    func() time.Time // nil is time.Now
}

// Store is the file. Several processes have it open at once, and its methods may be
// called from any goroutine.
type Store struct {
	file   *sqlite.File
	limits Limits
	now    func() time.Time
}

const fileName = "approvals.db"

// Exists reports whether there is a store in a folder: a call was stopped once.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil
}

// Open opens the store in a folder, and makes it if there is none. What is old is
// forgotten, whoever opens it for whatever.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	s := &Store{limits: o.Limits, now: o.Now}
	if s.limits.Session == 0 {
		s.limits.Session = 32
	}
	if s.limits.All == 0 {
		s.limits.All = 512
	}
	if s.now == nil {
		s.now = time.Now
	}
	var err error
	if s.file, err = sqlite.Open(ctx, filepath.Join(dir, fileName), form); err != nil {
		return nil, err
	}
	if err := s.forget(ctx); err != nil {
		return nil, errors.Join(s.explain("read", err), s.file.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

// form is what the file is. Its first step makes a new one.
var form = sqlite.Form{
	What:    "approvals",
	Rescue:  "stop what has it open (hookway stop), then remove it with its -wal file: calls that wait for an answer are stopped again, and get new codes",
	Steps:   []string{schema, "ALTER TABLE request ADD COLUMN does TEXT NOT NULL DEFAULT ''"}, // does: for people
	Pragmas: []string{"secure_delete(1)"},                                                     // inputs of calls may hold what no recogniser knows
	Conns:   2,
}

// A call is there once for each time that it was stopped and not forgotten. Times are
// microseconds since 1970, and 0 for never.
const schema = `
CREATE TABLE request (
	code      TEXT PRIMARY KEY,
	call      TEXT NOT NULL,    -- see Call.key
	state     INTEGER NOT NULL, -- see state.go
	agent     TEXT NOT NULL,
	session   TEXT NOT NULL,
	workspace TEXT NOT NULL,
	tool      TEXT NOT NULL,
	input     TEXT NOT NULL,    -- for people
	rule      TEXT NOT NULL,
	reason    TEXT NOT NULL,
	place     TEXT NOT NULL,    -- where the judge runs, see package owner
	first     INTEGER NOT NULL, -- when it was stopped under this code,
	stopped   INTEGER NOT NULL, -- and when it was stopped last
	answered  INTEGER NOT NULL DEFAULT 0,
	by_whom   TEXT NOT NULL DEFAULT '',
	by_way    TEXT NOT NULL DEFAULT '',
	used      INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX request_call ON request (call, state);
CREATE INDEX request_session ON request (state, session, stopped);
CREATE INDEX request_stopped ON request (stopped);
`

// explain says what a failure of the file means.
func (s *Store) explain(done string, err error) error {
	var refused *RefusedError
	if err == nil || errors.As(err, &refused) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.file.Explain(done, err)
}
