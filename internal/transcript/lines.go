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
	mostAtOnce = 4 << 20   // bytes, in one step
	leastStep  = 256 << 10 // bytes in one step, where many records are read side by side
	mostKept   = 1 << 20   // bytes that are kept to read into, while nothing comes
	sampleSize = 256       // bytes of the file's beginning, by which one sees that it is another
)

// Most bounds one line or row of a record. What has more is left out: it would take many
// times its size to read it.
type Most struct {
	Bytes  int
	Values int // of JSON
}

// Ample is for a program that reads records and does nothing else.
var Ample = Most{Bytes: 32 << 20, Values: 1 << 18}

func (m Most) tooLong() error { return fmt.Errorf("it is longer than %d MiB", m.Bytes>>20) }

// check says why a text is not read.
func (m Most) check(text []byte) error {
	if len(text) > m.Bytes {
		return m.tooLong()
	}
	if len(text) > m.Values && values(text) > m.Values {
		return fmt.Errorf("it holds more than %d values", m.Values)
	}
	return nil
}

// values counts the values of a JSON text, without reading it: each but the first follows
// a comma or what opens a list or an object.
func values(text []byte) int {
	n := 1
	for quoted, i := false, 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// unmarked is the first line of a record without the byte order mark that an editor may
// have put before it.
func unmarked(line []byte) []byte { return bytes.TrimPrefix(line, []byte("\ufeff")) }

var errNoObject = errors.New("it is not a whole JSON object")

// lines is a record that is a file of JSON lines, to which its agent adds.
type lines struct {
	path   string
	most   Most
	names  int // that are remembered
	decode func(*state, []byte) ([]Entry, error)
	torn   func(error) // told of lines that cannot be read; nil: the file grows, and its last line may too

	file   *disk.File
	at     int64  // up to where it was read
	chunk  []byte // what is read into
	rest   []byte // what was read of a line that is not whole
	number int    // of the line that was read last
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

func (l *lines) bytes() int64 { return l.at }

// next reads on. A file that was cut or replaced is read anew.
func (l *lines) next(context.Context) (entries []Entry, more bool, err error) {
	if l.state != nil && l.state.failed != nil {
		return nil, false, l.state.failed
	}
	if err := l.open(); err != nil {
		return nil, false, err
	}
	most := mostAtOnce
	if l.torn != nil {
		most = leastStep
	}
	if l.chunk == nil {
		l.chunk = make([]byte, 64<<10)
	}
	chunk := l.chunk
	for read := 0; read < most; {
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
			found, refused := l.end()
			if len(l.rest) == 0 && cap(l.rest) > mostKept {
				l.rest = nil
			}
			return append(entries, found...), false, refused
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
	l.file, l.at, l.rest, l.number, l.skip, l.sample, l.state = file, 0, nil, 0, false, nil, newState(l.path, l.names)
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
			if l.skip = l.skip || len(l.rest)+len(read) > l.most.Bytes; l.skip {
				l.rest = l.rest[:0]
			} else {
				l.rest = append(l.rest, read...)
			}
			return entries, nil
		}
		line := read[:end]
		read = read[end+1:]
		l.number++
		if l.skip {
			l.skip = false
			l.tell(l.most.tooLong())
			continue
		}
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = line[:0] // what is decoded is a copy
		}
		found, err := l.line(line)
		entries = append(entries, found...)
		if err != nil {
			return entries, err
		}
	}
	return entries, nil
}

// end decodes what stands behind the last whole line of a file that is read to its end.
func (l *lines) end() ([]Entry, error) {
	if l.torn == nil || len(l.rest) == 0 && !l.skip {
		return nil, nil
	}
	line, long := l.rest, l.skip
	l.rest, l.skip = nil, false
	l.number++
	if long {
		l.tell(l.most.tooLong())
		return nil, nil
	}
	return l.line(line)
}

// tell tells of a line that cannot be read.
func (l *lines) tell(why error) {
	if l.torn != nil {
		l.torn(&unread{fmt.Sprintf("%s:%d: the line", l.path, l.number), why})
	}
}

// line decodes one line. What is not JSON, as half a line that a killed agent has
// left, says nothing.
func (l *lines) line(line []byte) ([]Entry, error) {
	if l.number == 1 {
		line = unmarked(line)
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil, nil
	}
	if line[0] != '{' {
		l.tell(errNoObject)
		return nil, nil
	}
	if why := l.most.check(line); why != nil {
		l.tell(why)
		return nil, nil
	}
	l.state.odd = nil
	entries, err := l.decode(l.state, line)
	switch {
	case l.torn == nil || err != nil:
	case l.state.odd != nil:
		l.tell(l.state.odd)
	case len(entries) == 0 && !json.Valid(line):
		l.tell(errNoObject)
	}
	if err != nil {
		l.state.failed = fmt.Errorf("%s: %w", l.path, err)
		return entries, l.state.failed
	}
	return entries, nil
}
