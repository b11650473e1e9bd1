package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

var notes = sqlite.Form{
	What:   "notes",
	Rescue: "write them again",
	Steps:  []string{"CREATE TABLE note (text TEXT); CREATE INDEX note_text ON note (text);"},
}

func open(t *testing.T, path string, form sqlite.Form) *sqlite.File {
	t.Helper()
	f, err := sqlite.Open(t.Context(), path, form)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func add(ctx context.Context, f *sqlite.File, text string) error {
	return f.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO note (text) VALUES (?)", text)
		return err
	})
}

func count(t *testing.T, f *sqlite.File) (n int) {
	t.Helper()
	if err := f.QueryRow("SELECT count(*) FROM note").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestManyOpenANewFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "notes.db")
	var wg sync.WaitGroup
	const each = 10
	for range 8 {
		f := make(chan *sqlite.File, 1)
		wg.Go(func() {
			one, err := sqlite.Open(t.Context(), path, notes)
			if err != nil {
				t.Error(err)
				close(f)
				return
			}
			f <- one
			for range each {
				if err := add(t.Context(), one, "x"); err != nil {
					t.Error(err)
				}
			}
		})
		t.Cleanup(func() {
			if one := <-f; one != nil {
				one.Close()
			}
		})
	}
	wg.Wait()
	if n := count(t, open(t, path, notes)); n != 8*each {
		t.Errorf("there are %d", n)
	}
}

func TestItIsSafeAndPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	f := open(t, filepath.Join(dir, "notes.db"), notes)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "user_version": "1", "busy_timeout": "15000"} {
		var got string
		if err := f.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
		}
	}
	if err := add(t.Context(), f, "x"); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return // rights are others there
	}
	for _, name := range []string{"notes.db", "notes.db-wal", "notes.db-shm"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want err == nil and info.Mode().Perm() == 0o600", name, info, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
}

func TestRightsOfOthersAreTaken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are others there")
	}
	path := filepath.Join(t.TempDir(), "notes.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path, notes)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want err == nil and info.Mode().Perm() == 0o600", info, err)
	}
}

func TestStepsChangeAnOlderFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.db")
	old := open(t, path, notes)
	if err := add(t.Context(), old, "kept"); err != nil {
		t.Fatal(err)
	}
	later := notes
	later.Steps = append(later.Steps[:1:1], "ALTER TABLE note ADD COLUMN author TEXT NOT NULL DEFAULT 'me'")
	f := open(t, path, later)
	var text, author string
	if err := f.QueryRow("SELECT text, author FROM note").Scan(&text, &author); err != nil || text != "kept" || author != "me" {
		t.Errorf(`got %q, %q, %v, want err == nil and text == "kept" and author == "me"`, text, author, err)
	}
	if _, err := sqlite.Open(t.Context(), path, notes); !errors.Is(err, sqlite.ErrNewer) || !strings.Contains(err.Error(), "later hookway (form 2; this one knows 1)") {
		t.Errorf(`got %v, want errors.Is(err, sqlite.ErrNewer) and strings.Contains(err.Error(), "later hookway (form 2; this one knows 1)")`, err)
	}
	broken := later
	broken.Steps = append(later.Steps[:2:2], "CREATE TABLE other (x)", "this is not SQL")
	if _, err := sqlite.Open(t.Context(), path, broken); err == nil {
		t.Error("a step that fails is not an error")
	}
	if err := open(t, path, later).QueryRow("SELECT 1 FROM other").Scan(new(int)); err == nil || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("half of the steps were kept: %v", err)
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "notes.db"), notes)
	no := errors.New("no")
	err := f.Write(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO note (text) VALUES ('x')"); err != nil {
			return err
		}
		return no
	})
	if !errors.Is(err, no) || count(t, f) != 0 {
		t.Errorf("%v; there are %d", err, count(t, f))
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = f.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO note (text) VALUES ('x')"); err != nil {
			return err
		}
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || count(t, f) != 0 {
		t.Errorf("%v; there are %d", err, count(t, f))
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		text: {"notes cannot be opened: ", "is damaged", "write them again"},
		dir:  {"notes cannot be opened: ", dir},
	} {
		_, err := sqlite.Open(t.Context(), path, notes)
		if err == nil || errors.Is(err, sqlite.ErrDamaged) != (path == text) {
			t.Errorf("%s: got %v, want err != nil and errors.Is(err, sqlite.ErrDamaged) == (path == text)", path, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
	}
	f := open(t, filepath.Join(dir, "notes.db"), notes)
	f.SetMaxOpenConns(1) // the bound is of a connection
	if _, err := f.Exec("PRAGMA max_page_count = 5"); err != nil {
		t.Fatal(err)
	}
	err := f.Explain("saved", add(t.Context(), f, strings.Repeat("x", 100_000)))
	if !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), "notes cannot be saved") || f.Explain("kept", err) != err {
		t.Errorf(`got %v, want errors.Is(err, sqlite.ErrFull) and strings.Contains(err.Error(), "notes cannot be saved") and f.Explain("kept", err) == err`, err)
	}
	if err := f.Explain("saved", nil); err != nil {
		t.Error(err)
	}
}

func TestOddPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"with space", "50%", "ä?b#c", "a&b=c"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue
		}
		path := filepath.Join(dir, name, "notes.db")
		if got := open(t, path, notes).Path(); got != path {
			t.Errorf("%q, not %q", got, path)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestADeadlineHoldsWhileOthersWrite, also for what is written after that.
func TestADeadlineHoldsWhileOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	form := sqlite.Form{What: "things", Steps: []string{"CREATE TABLE thing (x)"}, Conns: 1}
	mine, theirs := open(t, path, form), open(t, path, form)
	write := func(*sql.Tx) error { return nil }
	err := theirs.Write(t.Context(), func(*sql.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := mine.Write(ctx, write); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it is %v", err)
		}
		if took := time.Since(began); took > sqlite.BusyTime/2 {
			t.Errorf("it took %v", took)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var is int64
	if err := mine.QueryRow("PRAGMA busy_timeout").Scan(&is); err != nil || is != sqlite.BusyTime.Milliseconds() {
		t.Errorf("the next ones wait %d ms, %v", is, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), sqlite.BusyTime/3)
	defer cancel()
	if err := mine.Write(ctx, write); err != nil {
		t.Error(err)
	}
}
