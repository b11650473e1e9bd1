package sqlite

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
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/hookway/hookway/internal/disk"
)

// BusyTime bounds how long a call waits for other processes that write.
const BusyTime = 15 * time.Second

// Form says what a file holds.
type Form struct {
	What    string   // what is in it, as its errors begin: "memories cannot be opened"
	Rescue  string   // what to do about a damaged file
	Steps   []string // the first makes the tables of a new file, each other one changes those that the one before has left
	Pragmas []string // of every connection, beside those that every file has
	Conns   int      // connections at the same time; 0 is 4
}

// File is an open file. Its methods may be called from any goroutine.
type File struct {
	*sql.DB
	path string
	form Form
}

// Open opens a file, and makes it and its folder if there is none.
func Open(ctx context.Context, path string, form Form) (*File, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", form.What, err)
	}
	f := &File{path: abs, form: form}
	if err := f.open(ctx); err != nil {
		return nil, f.Explain("opened", err)
	}
	return f, nil
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

func (f *File) open(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	// SQLite makes the files beside this one with the rights of this one.
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(onlyOurs(file), file.Close()); err != nil {
		return err
	}
	if f.DB, err = sql.Open("sqlite", f.address()); err != nil {
		return err
	}
	conns := f.form.Conns
	if conns == 0 {
		conns = 4
	}
	f.DB.SetMaxOpenConns(conns)
	f.DB.SetMaxIdleConns(conns) // opening one costs more than a query
	if err := f.prepare(ctx); err != nil {
		return errors.Join(err, f.DB.Close())
	}
	return nil
}

// onlyOurs takes the rights of other users off a file that was made with them.
func onlyOurs(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := file.Chmod(0o600); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// address is the file's name for the driver, with what holds for each connection.
func (f *File) address() string {
	path := filepath.ToSlash(f.path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	pragmas := append([]string{fmt.Sprintf("busy_timeout(%d)", BusyTime.Milliseconds()), "synchronous(FULL)"}, f.form.Pragmas...)
	q := url.Values{"_txlock": {"immediate"}, "_pragma": pragmas}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// prepare brings the file to its form. Processes that come at the same time wait
// for the first one, by a lock of our own: turning to the write-ahead log knows no
// busy timeout.
func (f *File) prepare(ctx context.Context) error {
	if is, err := f.step(ctx); is == len(f.form.Steps) || err != nil {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, BusyTime)
	defer cancel()
	unlock, err := disk.LockFile(patient, f.path+".lock")
	if err != nil {
		return fmt.Errorf("it cannot be made: %w", err)
	}
	defer unlock()
	is, err := f.step(ctx)
	if is == len(f.form.Steps) || err != nil {
		return err
	}
	if _, err := f.ExecContext(ctx, "PRAGMA journal_mode(WAL)"); err != nil {
		return err
	}
	return f.Write(ctx, func(tx *sql.Tx) error {
		for _, change := range f.form.Steps[is:] {
			if _, err := tx.ExecContext(ctx, change); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version(%d)", len(f.form.Steps)))
		return err
	})
}

// step is how many steps have made the file.
func (f *File) step(ctx context.Context) (int, error) {
	var is int
	if err := f.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil {
		return 0, err
	}
	if known := len(f.form.Steps); is > known || is < 0 {
		return 0, &newerError{is: is, known: known}
	}
	return is, nil
}

// Write runs do in a transaction, and commits it if do returns no error. No other
// process writes meanwhile.
func (f *File) Write(ctx context.Context, do func(*sql.Tx) error) error {
	conn, err := f.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // gives it back
	tx, err := begin(ctx, conn)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, rolledBack(tx))
	}
	return tx.Commit()
}

// begin begins a transaction. SQLite hears of no context while it waits for other
// processes, so it is told how long it may.
func begin(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	deadline, ok := ctx.Deadline()
	left := time.Until(deadline)
	if !ok || left >= BusyTime {
		return conn.BeginTx(ctx, nil)
	}
	wait := func(d time.Duration) error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA busy_timeout(%d)", d.Milliseconds()))
		return err
	}
	if err := wait(max(left, 0) + 10*time.Millisecond); err != nil { // so much later that the context has ended
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if again := wait(BusyTime); again != nil && err == nil { // the connection is not as others need it
		return nil, errors.Join(again, rolledBack(tx))
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("other processes kept the file busy: %w", ctx.Err())
	}
	return tx, err
}

// rolledBack undoes a transaction. One that has ended with its context, or with a
// full disk, is undone already.
func rolledBack(tx *sql.Tx) error {
	err := tx.Rollback()
	if errors.Is(err, sql.ErrTxDone) || err != nil && strings.Contains(err.Error(), "no transaction is active") {
		return nil
	}
	return err
}

// Close closes the file. Nothing waits to be written: every call has done that.
func (f *File) Close() error {
	if err := f.DB.Close(); err != nil {
		return f.Explain("closed", err)
	}
	return nil
}
