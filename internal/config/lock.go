package config

import (
	"fmt"
	"os"
	"time"

	"github.com/hookway/hookway/internal/filelock"
)

// lockWait is how long a lock is waited for. It is held for one small write.
const lockWait = 10 * time.Second

// lockFile takes a lock between processes. The kernel gives it back when the
// process dies; the file itself stays.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the lock %s cannot be made: %w", path, cause(err))
	}
	deadline := time.Now().Add(lockWait)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := filelock.Try(f)
		switch {
		case err != nil:
			f.Close()
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		case got:
			return func() { f.Close() }, nil // closing unlocks
		case time.Now().After(deadline):
			f.Close()
			return nil, fmt.Errorf("another process holds %s for more than %v; try again when it has ended", path, lockWait)
		}
		<-tick.C
	}
}
