package memory

import (
	"context"
	"database/sql"
	"sync"

	"github.com/hookway/hookway/internal/sqlite"
)

// Store is one file of memories. Its methods may be called from any goroutine.
type Store struct {
	path string
	file *sqlite.File
	db   *sql.DB // of the file

	mu      sync.Mutex
	indexes []*index // of the workspaces that were searched, the last one first

	meaning meaning // of an embedder, beside the words
}

// form is what the file is. Its first step makes a new one.
var form = sqlite.Form{
	What:    "memories",
	Rescue:  "move it away (with its -wal file), then hookway memory import a file that export wrote",
	Steps:   []string{schema, vectorSchema},
	Pragmas: []string{"secure_delete(ON)"},
}

const schema = `
CREATE TABLE memory (
	seq       INTEGER PRIMARY KEY AUTOINCREMENT,
	id        TEXT NOT NULL UNIQUE,
	text      TEXT NOT NULL,
	scope     TEXT NOT NULL,
	workspace TEXT NOT NULL,
	agent     TEXT NOT NULL,
	session   TEXT NOT NULL,
	time      INTEGER NOT NULL, -- microseconds since 1970
	tags      TEXT NOT NULL,    -- a JSON array
	file      TEXT NOT NULL,
	context   TEXT NOT NULL,
	digest    INTEGER NOT NULL  -- of the text and who sees it
);
CREATE INDEX memory_workspace ON memory (workspace, seq);
CREATE INDEX memory_digest ON memory (digest);
-- What happened to rows that others may have read already.
CREATE TABLE change (n INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL);
`

// busyTime bounds how long a call waits for other processes that write.
const busyTime = sqlite.BusyTime

// Open opens the store in a file, and makes it if there is none.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := sqlite.Open(ctx, path, form)
	if err != nil {
		return nil, err
	}
	return &Store{path: file.Path(), file: file, db: file.DB}, nil
}

// Close closes the file. Nothing waits to be written: every call has done that.
func (s *Store) Close() error { return s.file.Close() }

// explain says what a failure of the file means, and what to do.
func (s *Store) explain(done string, err error) error { return s.file.Explain(done, err) }

// head is the newest row and the newest change there ever was.
func (s *Store) head(ctx context.Context) (rows, changes int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0),
		coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change'), 0)`).Scan(&rows, &changes)
	return rows, changes, err
}

// change runs one transaction that writes.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	return s.file.Write(ctx, do)
}
