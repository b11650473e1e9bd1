package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// position is a place in the chain: a record's number and hash.
type position struct {
	seq  int64
	hash string
}

// store is the files of a log as its writer sees them.
type store struct {
	config Config
	lock   lock

	known bool // what follows was read, and may still hold
	end   position
	file  *os.File // that is written; nil if there is none yet
	path  string
	info  os.FileInfo
	size  int64
	born  time.Time // of its first record

	torn  *Torn    // the fragment at its end
	open  bool     // its last line lacks its line break
	notes []string // for the next record

	retired []*os.File // written before, and not on the disk yet
	newName bool       // files were made since the folder was on the disk
}

func newStore(c Config) *store {
	return &store{config: c, lock: lock{dir: c.Dir, patience: c.lockPatience}}
}

// enter takes the lock and makes sure that there is a file to write to, and that
// its end is known. The lock is held until release.
func (s *store) enter(now time.Time) (release func(), err error) {
	if err := s.lock.acquire(); err != nil {
		return nil, err
	}
	if err := s.ready(now); err != nil {
		s.lock.release()
		return nil, err
	}
	return s.lock.release, nil
}

func (s *store) ready(now time.Time) error {
	if !s.current() {
		s.retire()
		if err := s.reload(); err != nil {
			return err
		}
	}
	full := s.size >= s.config.MaxSize || now.Sub(s.born) >= s.config.MaxAge
	if s.file != nil && s.size > 0 && full && !s.open { // an open line is ended where it is
		s.retire()
	}
	if s.file == nil {
		return s.create(now)
	}
	return nil
}

// current reports whether the files are as this writer left them.
func (s *store) current() bool {
	if !s.known || s.file == nil {
		return false
	}
	info, err := os.Stat(s.path)
	if err != nil || info.Size() != s.size || !os.SameFile(info, s.info) {
		return false
	}
	next := s.named(s.end.seq + 1)
	if next == s.path {
		return true
	}
	_, err = os.Lstat(next) // another process began a new file
	return err != nil
}

func (s *store) named(seq int64) string { return filepath.Join(s.config.Dir, fileName(seq)) }

// reload finds the end of the log.
func (s *store) reload() error {
	before := s.end
	s.known, s.end, s.torn, s.open, s.notes = false, position{}, nil, false, nil
	names, err := fileNames(s.config.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	head, _ := readHead(s.config.Dir)
	if len(names) > 0 {
		if err := s.reopen(names[len(names)-1]); err != nil {
			return err
		}
	}
	for i := len(names) - 1; i >= 0 && s.end.seq == 0; i-- {
		t, err := readTail(filepath.Join(s.config.Dir, names[i]))
		if err != nil {
			return err
		}
		if i == len(names)-1 {
			s.torn, s.open = t.torn, t.open
		}
		s.end = t.end
	}
	switch {
	case head != nil && head.Seq > s.end.seq:
		s.notes = append(s.notes, fmt.Sprintf("records %d to %d are missing from the log: they were removed, or lost with the disk", s.end.seq+1, head.Seq))
		s.end = position{head.Seq, head.Hash}
	case head != nil && head.Seq == s.end.seq && head.Hash != s.end.hash:
		s.notes = append(s.notes, fmt.Sprintf("record %d at the end of the log is not the one that was written", head.Seq))
		s.end.hash = head.Hash
	case before.seq > 0 && s.end.seq == 0:
		s.notes = append(s.notes, "the log was removed while it was written; this one is new")
	}
	s.known = true
	return nil
}

// reopen opens the last file for writing.
func (s *store) reopen(name string) error {
	s.path = filepath.Join(s.config.Dir, name)
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("the audit log cannot be written: %w", err)
	}
	s.file = f
	if s.info, err = f.Stat(); err == nil && s.info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return fmt.Errorf("the audit log cannot be written: %w", err)
	}
	s.size, s.born = s.info.Size(), s.info.ModTime()
	if first, err := readFirst(s.path); err == nil {
		s.born = first.Time
	}
	return nil
}

// create begins a new file, and removes files that are old.
func (s *store) create(now time.Time) error {
	if head, err := readHead(s.config.Dir); head == nil {
		if err := errors.Join(skipMissing(err), writeHead(s.config.Dir, &headForm{First: s.end.seq + 1, Anchor: s.end.hash, Seq: s.end.seq, Hash: s.end.hash})); err != nil {
			return fmt.Errorf("the head of the audit log cannot be written: %w", err)
		}
	}
	s.path = s.named(s.end.seq + 1)
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("a file of the audit log cannot be made: %w", err)
	}
	if s.info, err = f.Stat(); err != nil {
		f.Close()
		return fmt.Errorf("a file of the audit log cannot be made: %w", err)
	}
	s.file, s.size, s.born, s.newName = f, s.info.Size(), now, true
	if err := s.sweep(now); err != nil {
		s.config.Log.Warn(fmt.Sprintf("old files of the audit log cannot be removed: %v", err))
	}
	return nil
}

// opening is what ends a line that a dead process left open.
func (s *store) opening() []byte {
	if s.open {
		return []byte("\n")
	}
	return nil
}

// write writes a batch. One that could be written in part only is taken back:
// nobody was told of it.
func (s *store) write(data []byte, end position, now time.Time) error {
	if s.size == 0 {
		s.born = now
	}
	n, err := s.file.Write(data)
	if err != nil {
		s.known = false
		if n > 0 {
			err = errors.Join(err, os.Truncate(s.path, s.size))
		}
		return err
	}
	s.size += int64(n)
	s.end, s.torn, s.open, s.notes = end, nil, false, nil
	return nil
}

// retire leaves the file that was written. It is closed when it is on the disk.
func (s *store) retire() {
	if s.file != nil {
		s.retired = append(s.retired, s.file)
		s.file = nil
	}
}

// mark is a place that the log reached.
type mark struct {
	position
	path string // of the file
	info os.FileInfo
}

// unsynced gives what is to be forced to the disk to have everything up to end there.
func (s *store) unsynced() (files []syncFile, end mark) {
	for _, f := range s.retired {
		files = append(files, syncFile{f, true})
	}
	s.retired = nil
	if s.file != nil {
		files = append(files, syncFile{s.file, false})
	}
	if s.newName && runtime.GOOS != "windows" { // which has no sync of folders
		if dir, err := os.Open(s.config.Dir); err == nil {
			files = append(files, syncFile{dir, true})
		}
	}
	s.newName = false
	return files, mark{s.end, s.path, s.info}
}

// syncFile is a file to be forced to the disk.
type syncFile struct {
	*os.File
	last bool // it is closed after that
}

func syncAll(files []syncFile) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Sync())
		if f.last {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// reached notes in the head that the log is on the disk up to a record; not if
// somebody removed the log meanwhile.
func (s *store) reached(end mark) error {
	if err := s.lock.acquire(); err != nil {
		return err
	}
	defer s.lock.release()
	info, err := os.Stat(end.path)
	if err != nil || !os.SameFile(info, end.info) {
		return nil
	}
	head, err := readHead(s.config.Dir)
	if head == nil || head.Seq >= end.seq {
		return skipMissing(err)
	}
	head.Seq, head.Hash = end.seq, end.hash
	return writeHead(s.config.Dir, head)
}

func (s *store) close() error {
	var errs []error
	s.retire()
	for _, f := range s.retired {
		errs = append(errs, f.Close())
	}
	s.lock.close()
	return errors.Join(errs...)
}

func skipMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// tail is the end of a file.
type tail struct {
	end  position
	torn *Torn // a fragment of a record
	open bool  // the last line lacks its line break
}

// readTail finds the last record of a file.
func readTail(path string) (t tail, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return t, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	for l, err := range backward(f, info.Size()) {
		if err != nil {
			return t, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		var r Record
		whole := parseLine(l.text, &r) == nil && computed(l.text, r.Prev) == r.Hash
		if !l.whole {
			t.open = true
			if !whole {
				if t.torn, err = fragment(f, l, info.Size()); err != nil {
					return t, err
				}
			}
		}
		if whole {
			t.end = position{r.Seq, r.Hash}
			break
		}
	}
	return t, nil
}

// fragment describes a torn line, which goes to the end of the file.
func fragment(f io.ReaderAt, l line, size int64) (*Torn, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.NewSectionReader(f, l.at, size-l.at))
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	return &Torn{Bytes: n, Hash: hex.EncodeToString(h.Sum(nil))}, nil
}

// readFirst gives the first record of a file.
func readFirst(path string) (Record, error) {
	var r Record
	f, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	for s := newScanner(f, 0); ; {
		l, err := s.next()
		if err != nil {
			return r, err
		}
		if parseLine(l.text, &r) == nil {
			return r, nil
		}
	}
}
