package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Two kinds of files say who is alive, by being locked. That of a consumer has the name
// of its id, which is never used again, so that it may be removed when its lock is
// free. That of a lease has the name of an agent, and is there for good.
func (s *Store) consumerFolder() string { return filepath.Join(s.dir, "seats") }
func (s *Store) leaseFolder() string    { return filepath.Join(s.dir, "leases") }

func (s *Store) consumerFile(id string) string { return filepath.Join(s.consumerFolder(), id) }

func (s *Store) leaseFile(agent string) string {
	sum := sha256.Sum256([]byte(agent)) // a name may be too long for a file's, or two of them differ by case
	return filepath.Join(s.leaseFolder(), hex.EncodeToString(sum[:12]))
}

// lockFile takes the lock of a file, and gives nil if somebody else has it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if got, err := disk.TryLock(f); !got || err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// alive reports whether the process of a consumer has not ended, nor closed it. If it
// has, it also returns its last sign of life, if that is known.
func (s *Store) alive(consumer string) (bool, time.Time, error) {
	if consumer == "" { // the attempt of one that has ended, and holds no lock
		return false, time.Time{}, nil
	}
	f, err := os.OpenFile(s.consumerFile(consumer), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, time.Time{}, nil
	}
	if err != nil {
		return false, time.Time{}, err
	}
	defer f.Close()
	free, err := disk.TryLock(f)
	if !free || err != nil {
		return err == nil, time.Time{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return false, time.Time{}, err
	}
	return false, info.ModTime(), nil
}
