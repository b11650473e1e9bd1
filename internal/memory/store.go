package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // also registers the driver
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hookway/hookway/internal/filelock"
)

// Store is one file of memories. Its methods may be called from any goroutine.
type Store struct {
	path string
	db   *sql.DB

	mu      sync.Mutex
	indexes []*index // of the workspaces that were searched, the last one first
}

// version is the form of the file; a file of a later one is refused.
const version = 1

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
const busyTime = 15 * time.Second

// Open opens the store in a file, and makes it if there is none.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("memories cannot be opened: %w", err)
	}
	s := &Store{path: path}
	if err := s.open(ctx); err != nil {
		return nil, s.explain("opened", err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	// SQLite gives its other files the rights of this one.
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(private(f), f.Close()); err != nil {
		return err
	}
	s.db, err = sql.Open("sqlite", dsn(s.path))
	if err != nil {
		return err
	}
	s.db.SetMaxOpenConns(4)
	if err := s.prepare(ctx); err != nil {
		return errors.Join(err, s.db.Close())
	}
	return nil
}

// private takes from others the right to read a file that was made with it.
func private(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := f.Chmod(0o600); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds()), "synchronous(FULL)", "secure_delete(ON)",
	}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// prepare makes the tables of a new file. Processes that come at the same time
// wait for the first one: turning to the write-ahead log knows no busy timeout.
func (s *Store) prepare(ctx context.Context) error {
	if ready, err := s.ready(ctx); ready || err != nil {
		return err
	}
	lock, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // gives the lock back
	if err := await(ctx, lock); err != nil {
		return err
	}
	if ready, err := s.ready(ctx); ready || err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "PRAGMA journal_mode(WAL)"); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version(%d);", version))
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// ready reports whether the file has its tables.
func (s *Store) ready(ctx context.Context) (bool, error) {
	var is int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil {
		return false, err
	}
	if is > version {
		return false, fmt.Errorf("it was made by a later hookway (form %d; this one knows %d); install that one", is, version)
	}
	return is == version, nil
}

// await takes a lock that is held for moments only.
func await(ctx context.Context, lock *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, busyTime)
	defer cancel()
	for {
		if got, err := filelock.Try(lock); got || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process is making it and does not end: %w", ctx.Err())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// Close closes the file. Nothing waits to be written: every call has done that.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return s.explain("closed", err)
	}
	return nil
}

// explain says what a failure of the file means, and what to do.
func (s *Store) explain(done string, err error) error {
	what := "memories cannot be " + done + ": " + s.path
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", what, err)
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s is damaged: %w; move it away (with its -wal file), then hookway memory import a file that export wrote", what, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: the disk is full, nothing was changed: %w", what, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s: other processes kept it busy for %s, nothing was changed; try again: %w", what, busyTime, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s: it may not be written; check the rights of the file and its folder: %w", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
