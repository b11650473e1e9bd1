package call

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/backoff"
)

// ReadyFD is the variable that tells a daemon the number of the pipe that it
// closes as soon as it takes calls.
const ReadyFD = "HOOKWAY_READY_FD"

// OneThread is the variable with which an agent starts hookway-hook, where it can be told
// to: with one thread for its work, the runtime of Go has less to prepare. The value is
// not as a person writes it, so that it is known as ours, and neither hooks nor the daemon
// get it.
const OneThread = "GOMAXPROCS=01"

// DropOneThread takes OneThread out of the environment of this process.
func DropOneThread() {
	name, value, _ := strings.Cut(OneThread, "=")
	if os.Getenv(name) == value {
		_ = os.Unsetenv(name)
	}
}

// Errors of Start.
var (
	ErrSlowStart  = errors.New("the daemon did not start in time")
	ErrFailedOnce = errors.New("the daemon failed to start a moment ago; hookway serve says why")
	ErrNotUp      = errors.New("the daemon ended before it took calls; hookway serve says why")
)

// afterFailure is how long no daemon is started after one failed to: else every event
// would pay for it.
const afterFailure = 2 * time.Second

// Starter starts the daemon, unless somebody else does.
type Starter struct {
	Places   Places
	Program  string // the full binary
	Up       func() bool
	Deadline time.Time
	Env      []string // of the daemon; nil is that of this process
}

// Start returns once Up says that a daemon takes calls. Of any number of
// processes that call it at once, one starts the daemon, and the others wait.
func (s *Starter) Start() error {
	if err := MakeDir(s.Places.Dir); err != nil {
		return err
	}
	for pause := (backoff.Backoff{First: time.Millisecond, Most: 8 * time.Millisecond}); ; {
		lock, err := TryLock(s.Places.Lock)
		if err != nil {
			return err
		}
		if lock != nil {
			err := s.locked(lock)
			return errors.Join(err, lock.Close())
		}
		if time.Until(s.Deadline) < pause.Most {
			return ErrSlowStart
		}
		time.Sleep(pause.Next())
		if s.Up() {
			return nil
		}
	}
}

// locked starts the daemon; the lock keeps others from it. A failure is marked in
// the lock's file, which is empty otherwise.
func (s *Starter) locked(lock *os.File) error {
	if s.Up() { // somebody was faster
		return nil
	}
	info, err := lock.Stat()
	if err != nil {
		return err
	}
	marked := info.Size() > 0
	if age := time.Since(info.ModTime()).Abs(); marked && age < afterFailure {
		return ErrFailedOnce
	}
	if err := s.spawn(); err != nil {
		_, _ = lock.WriteAt([]byte("failed\n"), 0) // sets the time too
		return err
	}
	if marked {
		_ = lock.Truncate(0)
	}
	return nil
}

// environ is the daemon's environment: ours, for it was ours that led here, with
// a home that does not hang on the folder that we work in.
func (s *Starter) environ(ready string) []string {
	given := s.Env
	if given == nil {
		given = os.Environ()
	}
	env, home := make([]string, 0, len(given)+2), ""
	for _, kv := range given {
		switch {
		case hasName(kv, "HOOKWAY_HOME"):
			home = kv[len("HOOKWAY_HOME="):] // the last one counts
		case !hasName(kv, ReadyFD) && !hasName(kv, "HOOKWAY_SESSION"):
			env = append(env, kv)
		}
	}
	if home != "" {
		if abs, err := absolute(home); err == nil {
			home = abs
		}
		env = append(env, "HOOKWAY_HOME="+home)
	}
	if ready != "" {
		env = append(env, ReadyFD+"="+ready)
	}
	return env
}

func hasName(kv, name string) bool {
	return len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name
}
