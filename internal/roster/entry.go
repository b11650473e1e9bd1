package roster

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

const (
	prefix   = "s-"      // of all our files in a folder that others use too
	suffix   = ".member" // of the file; its socket has the same name without it
	maxEntry = 64 << 10  // bytes of a file
)

// entry is a session's file. Who has its lock is the session, or removes what a
// dead one left.
type entry struct {
	file *os.File
	path string
}

func (e *entry) socket() string { return strings.TrimSuffix(e.path, suffix) }

// remove takes the session from the roster and gives the lock back.
func (e *entry) remove() error {
	err := errors.Join(gone(os.Remove(e.socket())), gone(os.Remove(e.path)))
	return errors.Join(err, e.file.Close())
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// claim makes and locks a new file. A process that looks into the folder in between may
// take it for that of a dead session: then there is another try.
func claim(dir string) (*entry, error) {
	for {
		var id [4]byte
		_, _ = rand.Read(id[:]) // it never fails
		path := filepath.Join(dir, prefix+hex.EncodeToString(id[:])+suffix)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		e := &entry{f, path}
		mine, err := disk.TryLock(f)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), e.remove())
		}
		if mine && e.there() {
			return e, nil
		}
		_ = f.Close()
	}
}

// there reports whether the file is still the one of its name.
func (e *entry) there() bool {
	ours, err := e.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(e.path)
	return err == nil && os.SameFile(ours, named)
}

func (e *entry) write(m Member) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > maxEntry {
		return errors.New("the name, the program or the folder is too long to be announced")
	}
	_, err = e.file.WriteAt(text, 0)
	return err
}

// found is a session that lives.
type found struct {
	Member
	socket string
}

// look finds the sessions that live, and removes what dead ones left.
func look(dir string) ([]found, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("the running sessions cannot be listed: %w", err)
	}
	var all []found
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), prefix) || !strings.HasSuffix(f.Name(), suffix) || !f.Type().IsRegular() {
			continue
		}
		if one, ok := lookAt(filepath.Join(dir, f.Name())); ok {
			all = append(all, one)
		}
	}
	return all, nil
}

// lookAt reads one file; one that cannot be read is on its way in or out.
func lookAt(path string) (one found, ok bool) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return one, false
	}
	e := &entry{f, path}
	if dead, err := disk.TryLock(f); err != nil || dead {
		if dead && e.there() {
			_ = e.remove()
		} else {
			_ = f.Close()
		}
		return one, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEntry))
	if err != nil || json.Unmarshal(text, &one.Member) != nil || one.Session == "" {
		return one, false
	}
	one.socket = e.socket()
	return one, true
}
