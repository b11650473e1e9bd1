package audit

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// File is a file of a log.
type File struct {
	First int64 // the number of its first record, after which it is named
	Path  string
	Info  os.FileInfo
}

// Files lists the files of a log, oldest first. A folder without a log has none.
func Files(dir string) ([]File, error) {
	names, err := fileNames(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	files := make([]File, 0, len(names))
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) { // removed for its age meanwhile
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		files = append(files, File{firstOf(name), path, info})
	}
	return files, nil
}

// Line is a line of a file of a log, without its line break.
type Line struct {
	At, End int64  // where it begins, and where the next one does
	Text    []byte // valid until the next line; nil if it is longer than any record
	Whole   bool   // it has its line break
}

// Forward gives the lines of a file from a place on.
func Forward(f io.ReaderAt, from int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for s := newScanner(f, from); ; {
			l, err := s.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Line{}, fmt.Errorf("the audit log cannot be read: %w", err))
				return
			}
			if !yield(Line{l.at, s.at, l.text, l.whole}, nil) {
				return
			}
		}
	}
}

// Backward gives the lines of a file that begin before a place, the last first.
func Backward(f io.ReaderAt, before int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for l, err := range backward(f, before) {
			if err != nil {
				err = fmt.Errorf("the audit log cannot be read: %w", err)
			}
			if !yield(Line{l.at, before, l.text, l.whole}, err) {
				return
			}
			before = l.at
		}
	}
}

// Parse reads a line. It does not check the hash.
func Parse(text []byte, r *Record) error { return parseLine(text, r) }

// Sealed gives the hash that a line ends with, and whether it is the one that the line
// should have after the one whose hash is prev. A line that is not a record has none.
func Sealed(text []byte, prev string) (hash string, sound bool) {
	if !hasHash(text) {
		return "", false
	}
	hash = string(text[len(text)-hashSize+len(hashMember) : len(text)-len(`"}`)])
	return hash, computed(text, prev) == hash
}

// Matcher gives what says whether a record is wanted. Last is not for it.
func (f Filter) Matcher() func(*Record) bool { return newFilter(f).wants }

// EventOf finds the event of a record, as it is kept beside the log.
func EventOf(dir string, r Record) (Whole, error) {
	w := Whole{Record: r}
	if !decided(&r) {
		w.NotReplayable = "no hook decided about it"
		return w, nil
	}
	var kept *shelf
	if r.Kept != "" {
		kept = newShelf(EventsDir(dir), r.Seq)
	}
	defer kept.close()
	var failed error
	w.find(kept, func(err error) bool {
		failed = errors.Join(failed, err)
		return true
	})
	return w, failed
}
