package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/logline"
)

// lockWait is how long another process may send before one gives up waiting for it.
const lockWait = 10 * time.Second

// errSending says that another process sends what waits.
var errSending = fmt.Errorf("%w: another process sends what waits", ErrUnavailable)

// lock keeps other processes from sending what waits, which they would send a
// second time. The file stays.
func (o *Outbox) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err = disk.LockFile(ctx, o.path+".sending")
	switch {
	case errors.Is(err, disk.ErrHeld):
		return nil, fmt.Errorf("%w: %w", errSending, err)
	case err != nil:
		return nil, fmt.Errorf("what waits cannot be sent: %w", err)
	}
	return unlock, nil
}

// count is how many memories the file has.
func (s *Store) count(ctx context.Context) (n int, err error) {
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM memory").Scan(&n); err != nil {
		return 0, s.explain("counted", err)
	}
	return n, nil
}

// oldest gives the memories that were saved first.
func (s *Store) oldest(ctx context.Context, n int) (all []Memory, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT seq, "+columns+" FROM memory ORDER BY seq LIMIT ?", n)
	if err == nil {
		err = each(rows, func(_ int64, m Memory) error {
			all = append(all, m)
			return nil
		})
	}
	if err != nil {
		return nil, s.explain("read", err)
	}
	return all, nil
}

// refuse moves a memory that the backend never takes out of the way, into a file
// that hookway memory import reads.
func (o *Outbox) refuse(ctx context.Context, m Memory, why error) error {
	path := o.path + ".refused.jsonl"
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("the memory %s cannot be written: %w", m.ID, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("a memory that is refused cannot be put aside: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("a memory that is refused cannot be put aside: %w", err)
	}
	o.log().Warn(fmt.Sprintf("the memory %s is never taken; it is put into %s", m.ID, path), logline.Err, why)
	return o.sent(ctx, m)
}

// fileThere reports whether there is a file.
func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
