package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// ErrNoSuch is the error of a record that a log does not have: it was removed for its age,
// or is not written yet.
var ErrNoSuch = errors.New("the record is not there")

// One gives one record of a log by its number, with its event if hooks decided. It reads
// the one file that has it. The error of a line that is not a record is a *Damage.
func One(dir string, seq int64) (w Whole, err error) {
	names, err := fileNames(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return w, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	for len(names) > 0 && firstOf(names[len(names)-1]) > seq {
		names = names[:len(names)-1]
	}
	if len(names) == 0 {
		return w, fmt.Errorf("%w: the log has none of the number %d", ErrNoSuch, seq)
	}
	r, err := oneIn(filepath.Join(dir, names[len(names)-1]), seq)
	if err != nil {
		return w, err
	}
	if w, err = EventOf(dir, r); w.Event != nil || w.NotReplayable != "" {
		err = nil // what is wrong with the place of another event says nothing of this one
	}
	return w, err
}

// oneIn finds a record in a file.
func oneIn(path string, seq int64) (r Record, err error) {
	f, err := os.Open(path)
	if err != nil {
		return r, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	defer f.Close()
	begin := []byte(`{"seq":` + strconv.FormatInt(seq, 10) + `,`)
	for s := newScanner(f, 0); ; {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			return r, fmt.Errorf("%w: the log has none of the number %d", ErrNoSuch, seq)
		}
		if err != nil {
			return r, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		if !bytes.HasPrefix(l.text, begin) {
			continue
		}
		if err := parseLine(l.text, &r); err != nil {
			return r, &Damage{File: path, Line: s.no, Torn: !l.whole, Err: err}
		}
		return r, nil
	}
}
