package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrHeld is the error of a lock that another process holds for too long.
var ErrHeld = errors.New("another process holds it")

// LockFile takes the lock of a file between processes, and makes the file if there is
// none. It waits as long as the context lasts. The file stays; the system gives the lock
// back when it is closed, also because the process ended: no lock is stale.
func LockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 10*time.Millisecond) {
		got, err := TryLock(f)
		if got && err == nil {
			return func() { f.Close() }, nil
		}
		if err == nil {
			select {
			case <-time.After(pause):
				continue
			case <-ctx.Done():
				err = fmt.Errorf("%w: %s: %w", ErrHeld, path, ctx.Err())
			}
		}
		f.Close()
		return nil, err
	}
}
