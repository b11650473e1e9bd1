package unknown

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

const (
	writeEvery = time.Second     // a flood of directives is not a flood of writes
	lockWait   = 5 * time.Second // for Close; Note does not wait
)

// A Book is where one session notes the namespaces that no hook took. Its
// methods may be called by several goroutines at once.
type Book struct {
	Path  string // see the function Path
	Dir   string // of the session
	Agent string

	mu      sync.Mutex
	noted   map[string]*Namespace // not written yet
	written time.Time
	err     error // the last one
}

// Note counts a directive of the namespace. It does not wait for anybody: what
// cannot be written now is written by a later call, or by Close.
func (b *Book) Note(namespace string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	n := b.noted[namespace]
	switch {
	case n != nil:
	case !isName(namespace) || len(b.noted) >= Most:
		return
	default:
		if b.noted == nil {
			b.noted = map[string]*Namespace{}
		}
		n = &Namespace{Name: namespace, Dir: clip(b.Dir), Agent: clip(b.Agent)}
		b.noted[namespace] = n
	}
	n.Count, n.Last = n.Count+1, now.UTC()
	if now.Sub(b.written) >= writeEvery {
		b.written = now
		b.err = b.flush(0)
	}
}

// Close writes what is not written yet. The error is that of the last try.
func (b *Book) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.noted) > 0 {
		b.err = b.flush(lockWait)
	}
	if b.err != nil {
		return fmt.Errorf("unknown namespaces could not be noted for hookway doctor: %w", b.err)
	}
	return nil
}

// flush adds what was noted to the file. mu is held.
func (b *Book) flush(wait time.Duration) error {
	if err := os.MkdirAll(filepath.Dir(b.Path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(b.Path+".lock", wait)
	if unlock == nil || err != nil {
		return err
	}
	defer unlock()
	all, err := Read(b.Path)
	if err != nil {
		return err
	}
	for _, n := range b.noted {
		i := slices.IndexFunc(all, func(old Namespace) bool { return old.Name == n.Name && old.Dir == n.Dir })
		if i < 0 {
			all = append(all, *n)
			continue
		}
		all[i].Count = min(all[i].Count+n.Count, maxCount)
		all[i].Last, all[i].Agent = n.Last, n.Agent
	}
	if err := write(b.Path, newest(all)); err != nil {
		return err
	}
	b.noted = nil
	return nil
}

// lock takes the lock between processes. Without an error, a nil unlock says that
// another has it.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(wait)
	for {
		got, err := disk.TryLock(f)
		switch {
		case got && err == nil:
			return func() { f.Close() }, nil // closing unlocks
		case err != nil || wait == 0:
			return nil, errors.Join(err, f.Close())
		case time.Now().After(deadline):
			f.Close()
			return nil, fmt.Errorf("another process holds %s for more than %v", path, wait)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
