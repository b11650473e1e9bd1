package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/disk"
)

// lockName is the file that the writing process has locked. It is empty and stays.
const lockName = "lock"

// lockPatience is how long a batch waits for another process, which holds the
// lock for one batch of its own.
const lockPatience = 4 * time.Second

// lock is a lock between processes. The kernel gives it back when its process dies.
type lock struct {
	dir      string
	patience time.Duration // zero is lockPatience
	file     *os.File
}

// acquire takes the lock, or gives up when its patience is over.
func (l *lock) acquire() error {
	patience := l.patience
	if patience == 0 {
		patience = lockPatience
	}
	deadline := time.Now().Add(patience)
	for pause := (backoff.Backoff{First: 50 * time.Microsecond, Most: 2 * time.Millisecond}); ; {
		got, err := l.try()
		switch {
		case err != nil:
			return fmt.Errorf("the lock of the audit log cannot be taken: %w", err)
		case got:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("another process holds %s for more than %v; see which hookway hangs", filepath.Join(l.dir, lockName), patience)
		}
		time.Sleep(pause.Next())
	}
}

// try takes the lock if it is free. A lock file that was removed or replaced
// holds nobody off, so the one that is there now is opened.
func (l *lock) try() (bool, error) {
	if err := l.open(); err != nil {
		return false, err
	}
	got, err := disk.TryLock(l.file)
	if err != nil || !got {
		return false, err
	}
	if l.current() {
		return true, nil
	}
	l.close()
	return false, nil
}

func (l *lock) open() error {
	if l.file != nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(l.dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if os.IsNotExist(err) { // the folder was removed
		if err = disk.Private(l.dir, "the folder of the audit log"); err == nil {
			f, err = os.OpenFile(filepath.Join(l.dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
		}
	}
	l.file = f
	return err
}

// current reports whether the open file is the one of that name.
func (l *lock) current() bool {
	there, err := os.Stat(filepath.Join(l.dir, lockName))
	if err != nil {
		return false
	}
	ours, err := l.file.Stat()
	return err == nil && os.SameFile(there, ours)
}

func (l *lock) release() {
	if l.file != nil {
		disk.Unlock(l.file)
	}
}

func (l *lock) close() {
	if l.file != nil {
		l.file.Close() // unlocks
		l.file = nil
	}
}
