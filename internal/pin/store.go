package pin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// How often a PIN may be tried.
const (
	FreeTries = 5 // wrong ones in a row, without a wait
	firstWait = time.Minute
	maxWait   = time.Hour // so a day has 24 tries, and a person who mistyped is not shut out for long
)

// Options are how a store is opened; the zero value is ready.
type Options struct {
	Cost Cost             // of a new PIN; the zero value is Usual
	Now  func() time.Time // nil is time.Now
}

// Store is the file. Several processes have it open at once, and its methods may be
// called from any goroutine.
type Store struct {
	file *sqlite.File
	o    Options
}

const fileName = "pin.db"

// File is where the PIN of a folder is kept.
func File(dir string) string { return filepath.Join(dir, fileName) }

// Exists reports whether there may be a PIN in a folder.
func Exists(dir string) bool {
	_, err := os.Lstat(File(dir))
	return err == nil
}

// Open opens the store in a folder, and makes it if there is none.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if o.Cost == (Cost{}) {
		o.Cost = Usual
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	file, err := sqlite.Open(ctx, File(dir), form)
	if err != nil {
		return nil, err
	}
	return &Store{file: file, o: o}, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

// form is what the file is: one row at most.
var form = sqlite.Form{
	What:    "the PIN",
	Rescue:  "remove it with its -wal file, and set a new PIN: hookway approvals pin",
	Pragmas: []string{"secure_delete(1)"},
	Conns:   1,
	Steps: []string{`CREATE TABLE pin (
	one   INTEGER PRIMARY KEY CHECK (one = 1),
	hash  TEXT NOT NULL,
	wrong INTEGER NOT NULL DEFAULT 0, -- tries in a row
	after INTEGER NOT NULL DEFAULT 0  -- no try counts before, in microseconds since 1970
)`},
}

// ErrNone means that no PIN was set.
var ErrNone = errors.New("no PIN is set; set one in a terminal of your own: hookway approvals pin")

// WrongError is a wrong PIN.
type WrongError struct {
	Left int           // tries before there is a wait
	Wait time.Duration // before the next try counts; 0 if some are left
}

func (e *WrongError) Error() string {
	switch {
	case e.Wait > 0:
		return fmt.Sprintf("wrong PIN; the next try counts in %s", e.Wait)
	case e.Left == 1:
		return "wrong PIN; 1 more try, then there is a wait"
	}
	return fmt.Sprintf("wrong PIN; %d more tries, then there is a wait", e.Left)
}

// WaitError is a try that came too early: it was not looked at.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string {
	return fmt.Sprintf("the PIN was wrong too often; try again in %s", e.Wait)
}

// IsSet reports whether there is a PIN.
func (s *Store) IsSet(ctx context.Context) (bool, error) {
	var n int
	err := s.file.QueryRowContext(ctx, "SELECT count(*) FROM pin").Scan(&n)
	return n > 0, s.file.Explain("read", err)
}

// Set sets the PIN, in place of the one before. Who may is the caller's to know.
func (s *Store) Set(ctx context.Context, pin string) error {
	if err := Usable(pin); err != nil {
		return err
	}
	hash := s.o.Cost.hashed(pin)
	err := s.file.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO pin (one, hash) VALUES (1, ?)", hash)
		return err
	})
	return s.file.Explain("set", err)
}

// Check checks a PIN. The error is ErrNone, a *WrongError, a *WaitError, or of the file.
func (s *Store) Check(ctx context.Context, pin string) error {
	hash, wrong, wait, err := s.try(ctx)
	if err != nil {
		return err
	}
	right, err := same(hash, pin)
	switch {
	case err != nil:
		return s.file.Explain("read", err)
	case !right:
		return &WrongError{Left: max(FreeTries-wrong, 0), Wait: wait}
	}
	err = s.file.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE pin SET wrong = 0, after = 0 WHERE hash = ?", hash)
		return err
	})
	return s.file.Explain("checked", err)
}

// try takes a try, as a wrong one: who is killed before it is judged has had it. wait is
// how long there is none after it.
func (s *Store) try(ctx context.Context) (hash string, wrong int, wait time.Duration, err error) {
	early := time.Duration(0)
	err = s.file.Write(ctx, func(tx *sql.Tx) error {
		var after int64
		err := tx.QueryRowContext(ctx, "SELECT hash, wrong, after FROM pin").Scan(&hash, &wrong, &after)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNone
		}
		if err != nil {
			return err
		}
		now := s.o.Now()
		if early = sqlite.Moment(after).Sub(now); after > 0 && early > 0 {
			if early <= maxWait {
				return nil
			}
			early = maxWait // the clock was set back
			_, err := tx.ExecContext(ctx, "UPDATE pin SET after = ?", sqlite.Micros(now.Add(maxWait)))
			return err
		}
		early = 0
		wrong++
		if wait = waitAfter(wrong); wait > 0 {
			after = sqlite.Micros(now.Add(wait))
		}
		_, err = tx.ExecContext(ctx, "UPDATE pin SET wrong = ?, after = ?", wrong, after)
		return err
	})
	switch {
	case errors.Is(err, ErrNone):
		return "", 0, 0, ErrNone
	case err != nil:
		return "", 0, 0, s.file.Explain("checked", err)
	case early > 0:
		return "", 0, 0, &WaitError{Wait: max(early.Round(time.Second), time.Second)}
	}
	return hash, wrong, wait, nil
}

// waitAfter is how long there is no further try after so many wrong ones.
func waitAfter(wrong int) time.Duration {
	if wrong < FreeTries {
		return 0
	}
	return min(firstWait<<min(wrong-FreeTries, 10), maxWait)
}
