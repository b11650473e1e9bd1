package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

const (
	fileEnd  = ".kept"
	lockName = "lock"
	parts    = 16 // of Age and Size is one file, at most

	maxFile      = 16 << 20
	sweepEvery   = time.Hour
	lockPatience = 4 * time.Second
	maxFiles     = 4096 // that are looked at
)

// file is one of a store's files.
type file struct {
	name  string
	first int64     // number of the first record
	born  time.Time // when it was made
}

func fileName(first int64, born time.Time) string {
	return fmt.Sprintf("%016d-%010d%s", first, born.Unix(), fileEnd)
}

func parseName(name string) (f file, ok bool) {
	var born int64
	if n, err := fmt.Sscanf(name, "%d-%d"+fileEnd, &f.first, &born); n != 2 || err != nil || f.first < 1 {
		return f, false
	}
	f.name, f.born = name, time.Unix(born, 0)
	return f, fileName(f.first, f.born) == name
}

// files lists the files of a store, oldest first.
func files(dir string) ([]file, error) {
	names, err := disk.Names(dir, maxFiles)
	if err != nil {
		return nil, err
	}
	var out []file
	for _, name := range names {
		if f, ok := parseName(name); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b file) int { return cmp.Or(cmp.Compare(a.first, b.first), a.born.Compare(b.born)) })
	return out, nil
}

// writer writes blocks. Only one goroutine uses it.
type writer struct {
	store *Store
	pack  packer
	raw   []byte
	swept time.Time
}

// write writes entries as blocks. With an error it says how many are not written.
func (w *writer) write(batch []entry, now time.Time) (lost int, err error) {
	for len(batch) > 0 {
		w.raw = w.raw[:0]
		n := 0
		for n < len(batch) && (n == 0 || len(w.raw)+len(batch[n].text) <= blockBytes) {
			w.raw = appendEntry(w.raw, batch[n])
			n++
		}
		block, err := w.pack.pack(w.raw)
		if err == nil {
			err = w.append(block, batch[0].seq, now)
		}
		if err != nil {
			return len(batch), err
		}
		batch = batch[n:]
	}
	if cap(w.raw) > 2*blockBytes {
		w.raw = nil
	}
	if now.Sub(w.swept) >= sweepEvery {
		w.swept = now
		w.store.sweepNow(now)
	}
	return 0, nil
}

// append adds a block to the last file, or to a new one.
func (w *writer) append(block []byte, seq int64, now time.Time) error {
	dir := w.store.config.Dir
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	there, err := files(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, w.store.place(there, seq, now))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		n, failed := f.Write(block)
		if err = failed; err != nil && n > 0 { // nothing is to look torn that is not
			err = errors.Join(err, f.Truncate(info.Size()))
		}
	}
	return errors.Join(err, f.Close())
}

// place names the file that the next block goes to.
func (s *Store) place(there []file, seq int64, now time.Time) string {
	if len(there) == 0 {
		return fileName(seq, now)
	}
	last := there[len(there)-1]
	info, err := os.Stat(filepath.Join(s.config.Dir, last.name))
	age := now.Sub(last.born)
	if err == nil && info.Size() < min(maxFile, s.config.Size/parts) && age < s.config.Age/parts && age > -time.Hour {
		return last.name
	}
	return fileName(max(seq, last.first+1), now)
}

func lock(dir string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	path := filepath.Join(dir, lockName)
	if unlock, err = disk.LockFile(ctx, path); errors.Is(err, os.ErrNotExist) { // the folder was removed
		if err = disk.Private(dir, "the folder of kept events"); err == nil {
			unlock, err = disk.LockFile(ctx, path)
		}
	}
	return unlock, err
}

// sweepNow removes what is old, and logs what it cannot: no event is lost by that.
func (s *Store) sweepNow(now time.Time) {
	if err := s.sweep(now); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.config.Log.Warn(fmt.Sprintf("old kept events cannot be removed: %v", err))
	}
}

// sweep removes files that are too old, or too many.
func (s *Store) sweep(now time.Time) error {
	there, err := files(s.config.Dir)
	if err != nil {
		return err
	}
	sizes, total := make([]os.FileInfo, len(there)), int64(0)
	for i, f := range there {
		if sizes[i], err = os.Stat(filepath.Join(s.config.Dir, f.name)); err != nil {
			return err
		}
		total += sizes[i].Size()
	}
	var errs []error
	for i, f := range there {
		old := now.Sub(sizes[i].ModTime()) > s.config.Age
		if !old && total <= s.config.Size {
			break
		}
		if i == len(there)-1 && !old { // it is being written
			break
		}
		total -= sizes[i].Size()
		if err := os.Remove(filepath.Join(s.config.Dir, f.name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
