package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hookway/hookway/internal/backoff"
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
	pause := backoff.Backoff{First: time.Millisecond, Most: 10 * time.Millisecond}
	for {
		got, err := TryLock(f)
		if got && err == nil {
			return func() { f.Close() }, nil
		}
		if err == nil && pause.Wait(ctx, nil) != nil {
			err = fmt.Errorf("%w: %s: %w", ErrHeld, path, ctx.Err())
		}
		if err != nil {
			f.Close()
			return nil, err
		}
	}
}
