package approve

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// How long things live.
const (
	AnswerTime = 10 * time.Minute    // that a call can be answered which does not wait
	GrantTime  = 10 * time.Minute    // that a grant can be used, and that a no holds for the very same call
	KeepTime   = time.Hour           // that a request is listed
	ScopeTime  = 30 * 24 * time.Hour // that an answer for a session or a shape holds

	// sleepTime is how long a machine may sleep while a call is held.
	sleepTime = 7 * 24 * time.Hour

	// clockSlack is how far the clock may be set back: what lies further in the future is
	// of another time, and counts as expired; but for a no, which holds.
	clockSlack = time.Minute

	// futureTime is how far in the future something lies that is forgotten.
	futureTime = 7 * 24 * time.Hour
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
	bell   *bell
}

const fileName = "approvals.db"

// ErrRights is a file that this process may not write, as in a sandbox: then it cannot be
// read either.
var ErrRights = sqlite.ErrRights

// Exists reports whether there is a store in a folder: somebody was asked once. Where that
// cannot be seen, there may be one.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return !errors.Is(err, fs.ErrNotExist)
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
	s.bell = bellOf(s.file.Path())
	if err := s.forget(ctx); err != nil {
		return nil, errors.Join(s.explain("read", err), s.file.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

// write changes the file. When it returns, that is on the disk, and whoever waits in this
// process knows.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	err := s.file.Write(ctx, do)
	if err == nil {
		s.bell.ring()
	}
	return err
}

// form is what the file is. Its first step makes a new one.
var form = sqlite.Form{
	What:   "approvals",
	Rescue: "stop what has it open (hookway stop), then remove it with its -wal file: calls that wait for an answer are stopped again, and get new codes",
	Steps: []string{schema, "ALTER TABLE request ADD COLUMN does TEXT NOT NULL DEFAULT ''", answers, sent, // does: for people
		"ALTER TABLE token ADD COLUMN waiters INTEGER NOT NULL DEFAULT 1", // that were shown with it
		told, counted},
	Pragmas: []string{"secure_delete(1)"}, // inputs of calls may hold what no recogniser knows
	Conns:   4,
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

// answers is the third form: whatever asks gets a code, and answers are more than a yes.
const answers = `
ALTER TABLE request ADD COLUMN shape  TEXT NOT NULL DEFAULT '';       -- see Call.shape
ALTER TABLE request ADD COLUMN kind   TEXT NOT NULL DEFAULT 'block';
ALTER TABLE request ADD COLUMN route  TEXT NOT NULL DEFAULT 'retry';
ALTER TABLE request ADD COLUMN hook   TEXT NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN until  INTEGER NOT NULL DEFAULT 0;     -- it can be answered, or used
ALTER TABLE request ADD COLUMN scope  TEXT NOT NULL DEFAULT '';       -- of the answer
ALTER TABLE request ADD COLUMN note   TEXT NOT NULL DEFAULT '';
ALTER TABLE request ADD COLUMN passes INTEGER NOT NULL DEFAULT 1;     -- how often a grant can be used yet
UPDATE request SET until = CASE state WHEN 1 THEN answered ELSE stopped END + 600000000;
CREATE TABLE waiter (   -- a call that waits in its hook
	code   TEXT NOT NULL,
	report TEXT NOT NULL,
	beat   INTEGER NOT NULL, -- when it was there last
	PRIMARY KEY (code, report)
) WITHOUT ROWID;
CREATE TABLE pass (     -- a report of a call that has used a grant
	code   TEXT NOT NULL,
	report TEXT NOT NULL,
	PRIMARY KEY (code, report)
) WITHOUT ROWID;
CREATE TABLE standing ( -- an answer for more than one call
	code      TEXT PRIMARY KEY,
	yes       INTEGER NOT NULL,
	scope     TEXT NOT NULL,
	matches   TEXT NOT NULL, -- a shape or a call
	kind      TEXT NOT NULL,
	agent     TEXT NOT NULL,
	session   TEXT NOT NULL, -- '' is every one, of a yes for a shape
	workspace TEXT NOT NULL,
	tool      TEXT NOT NULL,
	hook      TEXT NOT NULL,
	rule      TEXT NOT NULL,
	does      TEXT NOT NULL, -- for people, as is
	input     TEXT NOT NULL, -- that of the first call
	note      TEXT NOT NULL,
	by_whom   TEXT NOT NULL,
	by_way    TEXT NOT NULL,
	since     INTEGER NOT NULL,
	until     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX standing_matches ON standing (matches);
CREATE TABLE token (    -- a secret by which a request is answered from outside
	hash    TEXT PRIMARY KEY,
	code    TEXT NOT NULL,
	call    TEXT NOT NULL,
	channel TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE present (  -- somebody who would answer
	id   TEXT PRIMARY KEY,
	what TEXT NOT NULL,
	beat INTEGER NOT NULL
) WITHOUT ROWID;
`

// counted is the seventh form: what an answer for more than one call did, and how long its
// first call waited for it.
const counted = `
ALTER TABLE standing ADD COLUMN asked INTEGER NOT NULL DEFAULT 0; -- when the first call was asked about
ALTER TABLE standing ADD COLUMN uses  INTEGER NOT NULL DEFAULT 0; -- calls that it decided,
ALTER TABLE standing ADD COLUMN used  INTEGER NOT NULL DEFAULT 0; -- and when the last one
`

// explain says what a failure of the file means.
func (s *Store) explain(done string, err error) error {
	var refused *RefusedError
	var many *ManyError
	if err == nil || errors.As(err, &refused) || errors.As(err, &many) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.file.Explain(done, err)
}
