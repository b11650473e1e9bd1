package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hookway/hookway/internal/disk"
)

// Bounds of what is read of a file of lines.
const (
	mostAtOnce = 4 << 20  // bytes, in one step
	mostLine   = 32 << 20 // bytes of one line; what is longer is left out
	sampleSize = 256      // bytes of the file's beginning, by which one sees that it is another
)

// lines is a record that is a file of JSON lines, to which its agent adds.
type lines struct {
	path   string
	decode func(*state, []byte) ([]Entry, error)

	file   *disk.File
	at     int64  // up to where it was read
	rest   []byte // what was read of a line that is not whole
	skip   bool   // the line that is being read is too long
	sample []byte // the file's beginning
	state  *state
}

func (l *lines) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// next reads on. A file that was cut or replaced is read anew.
func (l *lines) next(context.Context) (entries []Entry, more bool, err error) {
	if l.state != nil && l.state.failed != nil {
		return nil, false, l.state.failed
	}
	if err := l.open(); err != nil {
		return nil, false, err
	}
	chunk := make([]byte, min(mostAtOnce, 64<<10))
	for read := 0; read < mostAtOnce; {
		n, err := l.file.ReadAt(chunk, l.at)
		if room := sampleSize - l.at; room > 0 {
			l.sample = append(l.sample, chunk[:min(int64(n), room)]...)
		}
		l.at += int64(n)
		read += n
		found, refused := l.take(chunk[:n])
		entries = append(entries, found...)
		switch {
		case refused != nil:
			return entries, false, refused
		case errors.Is(err, io.EOF) || err == nil && n == 0:
			return entries, false, nil
		case err != nil:
			return entries, false, fmt.Errorf("the agent's record cannot be read: %w", err)
		}
	}
	return entries, true, nil
}

// open opens the file, or another one if that is at its place now.
func (l *lines) open() error {
	if l.file != nil {
		now, err := os.Stat(l.path)
		is, mine := l.file.Stat()
		if err == nil && mine == nil && os.SameFile(now, is) && now.Size() >= l.at && l.same() {
			return nil
		}
		if err != nil { // it is away for a moment, or for good: what was added to it before still counts
			if mine == nil && is.Size() >= l.at {
				return nil
			}
			return err
		}
		_ = l.close() // it was read only
	}
	file, err := disk.Open(l.path)
	if err != nil {
		return err
	}
	l.file, l.at, l.rest, l.skip, l.sample, l.state = file, 0, nil, false, nil, newState(l.path)
	return nil
}

// same reports whether the file begins as it did: one that was cut and has grown
// again does not.
func (l *lines) same() bool {
	now := make([]byte, len(l.sample))
	n, _ := l.file.ReadAt(now, 0)
	return bytes.Equal(now[:n], l.sample)
}

// take takes what was read, and decodes the lines that are whole now.
func (l *lines) take(read []byte) (entries []Entry, err error) {
	for len(read) > 0 {
		end := bytes.IndexByte(read, '\n')
		if end < 0 {
			if l.skip = l.skip || len(l.rest)+len(read) > mostLine; l.skip {
				l.rest = nil
			} else {
				l.rest = append(l.rest, read...)
			}
			return entries, nil
		}
		line := read[:end]
		read = read[end+1:]
		if l.skip {
			l.skip, l.rest = false, nil
			continue
		}
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = nil
		}
		found, err := l.line(line)
		entries = append(entries, found...)
		if err != nil {
			return entries, err
		}
	}
	return entries, nil
}

// line decodes one line. What is not JSON, as half a line that a killed agent has
// left, says nothing.
func (l *lines) line(line []byte) ([]Entry, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || !json.Valid(line) {
		return nil, nil
	}
	entries, err := l.decode(l.state, line)
	if err != nil {
		l.state.failed = fmt.Errorf("%s: %w", l.path, err)
		return entries, l.state.failed
	}
	return entries, nil
}
