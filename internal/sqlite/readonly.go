package sqlite

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ReadOnly opens a file of another program to read in it, beside that program and
// without a lock that would keep it waiting. Nothing is made or changed; what the
// other one commits is seen by the next query.
func ReadOnly(path string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", path, err)
	}
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") { // C:/…
		slashed = "/" + slashed
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(1000)", "query_only(1)", "trusted_schema(0)", "mmap_size(0)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: slashed, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// Longest bounds a text or a blob that a query may hold in memory; one that needs a longer
// one fails. It is for a connection to a file of others, whatever they have put there.
func Longest(conn *sql.Conn, bytes int) error {
	_, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, bytes)
	return err
}
