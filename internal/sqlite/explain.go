package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What an error of [File.Explain] is about, for errors.Is.
var (
	ErrDamaged = errors.New("the file is damaged")
	ErrFull    = errors.New("the disk is full")
	ErrBusy    = errors.New("the file is busy")
	ErrRights  = errors.New("the file may not be written")
	ErrNewer   = errors.New("the file is of a later version")
)

// newerError is a file that this program does not know yet.
type newerError struct{ is, known int }

func (e *newerError) Error() string {
	return fmt.Sprintf("it was made by a later hookway (form %d; this one knows %d); install that one", e.is, e.known)
}

func (e *newerError) Is(target error) bool { return target == ErrNewer }

// failure is an error of the file with what it means for its user.
type failure struct {
	text  string
	kind  error
	cause error
}

func (e *failure) Error() string        { return e.text }
func (e *failure) Unwrap() error        { return e.cause }
func (e *failure) Is(target error) bool { return e.kind != nil && target == e.kind }

const fullDisk = ": the disk is full, nothing was changed; make room and try again: %v"

// Explain says what a failure of the file means, and what to do: done is what could
// not be done with it, as in "saved". An error that is explained stays as it is.
func (f *File) Explain(done string, err error) error {
	var explained *failure
	if err == nil || errors.As(err, &explained) {
		return err
	}
	what := f.form.What + " cannot be " + done + ": " + f.path
	say := func(kind error, format string, args ...any) error {
		return &failure{text: what + fmt.Sprintf(format, args...), kind: kind, cause: err}
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return say(ErrRights, ": it may not be written; check the rights of the file and its folder: %v", err)
	}
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return say(nil, ": %v", err)
	}
	if failed.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // also for reading a file is made beside it
		return say(ErrFull, fullDisk, err)
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return say(ErrDamaged, " is damaged: %v; %s", err, f.form.Rescue)
	case sqlite3.SQLITE_FULL:
		return say(ErrFull, fullDisk, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return say(ErrBusy, ": other processes kept it busy for %s, nothing was changed; try again: %v", BusyTime, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return say(ErrRights, ": it may not be written; check the rights of the file and its folder: %v", err)
	case sqlite3.SQLITE_IOERR:
		return say(writeFailed(failed.Code()), ": the disk failed, nothing was changed; check its free room, its quota and its health: %v", err)
	}
	return say(nil, ": %v", err)
}

// writeFailed tells a write that failed, as it does where a quota or a bound on
// the size of files ends, from other failures of the disk.
func writeFailed(code int) error {
	switch code {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE:
		return ErrFull
	}
	return nil
}
