package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// followPause is how often Follow looks for new records.
const followPause = 100 * time.Millisecond

// Follow gives what Read gives, and then each record as it is written, through
// rotations, until the context ends. The log need not be there yet.
func Follow(ctx context.Context, dir string, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c := &cursor{dir: dir, filter: newFilter(f)}
		defer c.close()
		if err := c.snapshot(); err != nil {
			yield(Record{}, err)
			return
		}
		if err := c.attach(); err != nil {
			yield(Record{}, err)
			return
		}
		if !c.replay(yield) {
			return
		}
		tick := time.NewTicker(followPause)
		defer tick.Stop()
		for ctx.Err() == nil {
			more, err := c.follow(yield)
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !more {
				return
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}
}

// attach opens the last file, whose whole lines are replayed first.
func (c *cursor) attach() error {
	if len(c.names) == 0 {
		return nil
	}
	c.name = c.names[len(c.names)-1]
	f, err := os.Open(filepath.Join(c.dir, c.name))
	if err != nil {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	c.file, c.at = f, 0
	for l, err := range backward(f, c.last) {
		if err != nil {
			return fmt.Errorf("the audit log cannot be read: %w", err)
		}
		if l.whole {
			c.at = l.at + int64(len(l.text)) + 1
			if l.long {
				c.at = c.last
			}
			break
		}
		c.at = l.at // it may be in the middle of being written
	}
	c.last = c.at
	return nil
}

// follow gives what was written since; false if nobody wants more.
func (c *cursor) follow(yield func(Record, error) bool) (bool, error) {
	for {
		next, err := c.next()
		if err != nil {
			return false, err
		}
		if c.file != nil {
			if more, err := c.drain(next != "", yield); !more || err != nil {
				return more, err
			}
		}
		if next == "" {
			return true, nil
		}
		c.close()
		c.file, c.name, c.at = nil, next, 0
		if c.file, err = os.Open(filepath.Join(c.dir, next)); errors.Is(err, os.ErrNotExist) {
			c.file = nil
		} else if err != nil {
			return false, fmt.Errorf("the audit log cannot be read: %w", err)
		}
	}
}

// next is the file after the one that is followed, or "". A log that was
// removed begins anew.
func (c *cursor) next() (string, error) {
	names, err := fileNames(c.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("the audit log cannot be read: %w", err)
	}
	for _, name := range names {
		if firstOf(name) > firstOf(c.name) {
			return name, nil
		}
	}
	if len(names) == 0 || c.file == nil {
		return "", nil
	}
	last := names[len(names)-1]
	there, err := os.Stat(filepath.Join(c.dir, last))
	if err != nil {
		return "", nil // it is looked at again
	}
	if ours, err := c.file.Stat(); err == nil && !os.SameFile(there, ours) {
		return last, nil
	}
	return "", nil
}

// drain gives the lines that are whole now. If the file is finished, a fragment
// at its end is one for good.
func (c *cursor) drain(finished bool, yield func(Record, error) bool) (bool, error) {
	info, err := c.file.Stat()
	if err != nil {
		return false, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	if info.Size() <= c.at {
		return true, nil
	}
	path := filepath.Join(c.dir, c.name)
	for s := newScanner(c.file, c.at); ; {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("the audit log cannot be read: %w", err)
		}
		if !l.whole && !finished {
			return true, nil
		}
		no := 0
		if !hasHash(l.text) {
			no = lineNumber(c.file, l.at)
		}
		c.at = s.at
		if !c.give(l, path, no, yield) {
			return false, nil
		}
	}
}
