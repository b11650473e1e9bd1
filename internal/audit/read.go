package audit

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Damage is a line that is not a record. Reading goes on after it.
type Damage struct {
	File string
	Line int  // from 1; zero if it was not counted
	Torn bool // the fragment that a process left when it died
	Err  error
}

func (d *Damage) Error() string {
	what := fmt.Sprint(d.Err)
	if d.Torn {
		what = "it is torn: its writer died over it"
	}
	if d.Line == 0 {
		return fmt.Sprintf("%s: a line is left out: %s", d.File, what)
	}
	return fmt.Sprintf("%s:%d: the line is left out: %s", d.File, d.Line, what)
}

func (d *Damage) Unwrap() error { return d.Err }

// Read gives the records of a log, oldest first, as they are when it begins. An
// error that is a *Damage stands for one line; reading goes on. Any other ends
// it. A folder without a log, or no folder, has no records.
func Read(dir string, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c := &cursor{dir: dir, filter: newFilter(f)}
		defer c.close()
		if err := c.snapshot(); err != nil {
			yield(Record{}, err)
			return
		}
		c.replay(yield)
	}
}

// cursor reads a log.
type cursor struct {
	dir    string
	filter *filter
	names  []string // files to be read
	last   int64    // size of the last of them when reading began
	lines  lines

	file *os.File // the file that is followed
	name string
	at   int64
}

// snapshot looks which files there are.
func (c *cursor) snapshot() error {
	names, err := fileNames(c.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	c.names = names
	if len(names) == 0 {
		return nil
	}
	info, err := os.Stat(filepath.Join(c.dir, names[len(names)-1]))
	if err != nil {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	c.last = info.Size()
	return nil
}

// replay gives what the snapshot has; false if nobody wants more.
func (c *cursor) replay(yield func(Record, error) bool) bool {
	if c.filter.Last > 0 {
		return c.latest(yield)
	}
	for i, name := range c.names {
		if i+1 < len(c.names) && c.before(c.names[i+1]) {
			continue
		}
		if !c.forward(name, c.until(i), yield) {
			return false
		}
	}
	return true
}

// until is how far a file is read.
func (c *cursor) until(i int) int64 {
	if i == len(c.names)-1 {
		return c.last
	}
	return 1 << 62
}

// before reports that the next file begins before the time that is asked for,
// so that nothing is wanted of the files before it.
func (c *cursor) before(next string) bool {
	if c.filter.Since.IsZero() {
		return false
	}
	first, err := readFirst(filepath.Join(c.dir, next))
	return err == nil && first.Time.Before(c.filter.Since.Add(-slack))
}

// forward gives the records of one file.
func (c *cursor) forward(name string, until int64, yield func(Record, error) bool) bool {
	path := filepath.Join(c.dir, name)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) { // removed for its age meanwhile
		return true
	}
	if err != nil {
		return stop(yield, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return stop(yield, err)
	}
	until = min(until, info.Size())
	for s := newScanner(f, 0); s.at < until; {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return stop(yield, err)
		}
		if !c.give(l, path, s.no, yield) {
			return false
		}
	}
	return true
}

// stop ends a reading with an error.
func stop(yield func(Record, error) bool, err error) bool {
	yield(Record{}, fmt.Errorf("the audit log cannot be read: %w", err))
	return false
}

// give gives the record of a line, if it is wanted.
func (c *cursor) give(l line, path string, no int, yield func(Record, error) bool) bool {
	r, err := c.record(l)
	switch {
	case err != nil:
		return yield(Record{}, &Damage{File: path, Line: no, Torn: !l.whole, Err: err})
	case r != nil:
		return yield(*r, nil)
	}
	return true
}

// record reads a line; nil without an error is a record that is not wanted.
func (c *cursor) record(l line) (*Record, error) {
	if l.long {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", errNoRecord, maxLine)
	}
	if hasHash(l.text) && !c.filter.perhaps(l.text) {
		return nil, nil
	}
	var r Record
	if err := c.lines.parse(l.text, &r); err != nil {
		return nil, err
	}
	if !c.filter.wants(&r) {
		return nil, nil
	}
	return &r, nil
}

// latest gives the last records that are wanted.
func (c *cursor) latest(yield func(Record, error) bool) bool {
	type found struct {
		record Record
		err    error
	}
	var all []found
	wanted := 0
	for i := len(c.names) - 1; i >= 0 && wanted < c.filter.Last; i-- {
		old := false
		err := c.backward(c.names[i], c.until(i), func(r *Record, err error) bool {
			if err != nil {
				all = append(all, found{err: err})
				return true
			}
			old = r.Seq <= c.filter.After || !c.filter.Since.IsZero() && r.Time.Before(c.filter.Since.Add(-slack))
			if old {
				return false
			}
			if c.filter.wants(r) {
				all = append(all, found{record: *r})
				wanted++
			}
			return wanted < c.filter.Last
		})
		if err != nil {
			yield(Record{}, err)
			return false
		}
		if old {
			break
		}
	}
	for _, f := range slices.Backward(all) {
		if !yield(f.record, f.err) {
			return false
		}
	}
	return true
}

// backward gives the records of a file that may be wanted, the last first.
func (c *cursor) backward(name string, until int64, see func(*Record, error) bool) error {
	path := filepath.Join(c.dir, name)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	for l, err := range backward(f, min(until, info.Size())) {
		if err != nil {
			return fmt.Errorf("the audit log cannot be read: %w", err)
		}
		if hasHash(l.text) && !c.filter.perhaps(l.text) && c.filter.Since.IsZero() {
			continue
		}
		var r Record
		err := error(errNoRecord)
		if !l.long {
			err = parseLine(l.text, &r)
		}
		if err != nil {
			err = &Damage{File: path, Line: lineNumber(f, l.at), Torn: !l.whole, Err: err}
		}
		if !see(&r, err) {
			return nil
		}
	}
	return nil
}

// lineNumber counts the lines before a place.
func lineNumber(f io.ReaderAt, at int64) int {
	s := newScanner(f, 0)
	for s.at < at {
		if _, err := s.next(); err != nil {
			return 0
		}
	}
	return s.no + 1
}

func (c *cursor) close() {
	if c.file != nil {
		c.file.Close()
	}
}

// slack is how much later than a record after it a record may have begun: they
// stand in the order in which they ended.
const slack = time.Hour
