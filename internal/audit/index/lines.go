package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/audit"
)

// errMoved is of a log that is not as it was indexed.
var errMoved = errors.New("the log is not as it was when it was indexed")

// lines reads lines of one file of the log.
type lines struct {
	file *os.File
	buf  []byte

	of    place  // the block whose lines are in memory
	whole []byte // they
	small []byte // they, with small letters in place of large ones
	odd   bool   // there are letters in them whose small ones are other ones than it seems
}

func (s *snapshot) openLines(file int64) (*lines, error) {
	f, err := os.Open(s.files[file])
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", errMoved, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be read: %w", err)
	}
	return &lines{file: f}, nil
}

func (l *lines) close() { l.file.Close() }

// text gives the line of a hit, until the next one is read.
func (l *lines) text(h hit) ([]byte, error) {
	if int64(cap(l.buf)) < h.size {
		l.buf = make([]byte, h.size, 2*h.size)
	}
	l.buf = l.buf[:h.size]
	n, err := l.file.ReadAt(l.buf, h.at)
	if err != nil && !(errors.Is(err, io.EOF) && int64(n) == h.size-1) { // its line break may be missing
		return nil, fmt.Errorf("%w: %w", errMoved, err)
	}
	return bytes.TrimSuffix(l.buf[:n], []byte("\n")), nil
}

// record reads the record of a hit.
func (l *lines) record(h hit, r *audit.Record) (text []byte, err error) {
	if text, err = l.text(h); err != nil {
		return nil, err
	}
	if err := audit.Parse(text, r); err != nil || r.Seq != h.seq {
		return nil, fmt.Errorf("%w: record %d is not where it was", errMoved, h.seq)
	}
	return text, nil
}

// load reads the lines of a block.
func (l *lines) load(b *block) error {
	if l.of = (place{b.file, b.at}); int64(cap(l.whole)) < b.end-b.at {
		l.whole, l.small = make([]byte, b.end-b.at), make([]byte, b.end-b.at)
	}
	l.whole, l.small = l.whole[:b.end-b.at], l.small[:b.end-b.at]
	n, err := l.file.ReadAt(l.whole, b.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w", errMoved, err)
	}
	clear(l.whole[n:])
	for i, c := range l.whole {
		l.small[i] = small[c]
	}
	l.odd = bytes.Contains(l.whole, []byte("K")) || bytes.Contains(l.whole, []byte("İ"))
	return nil
}

// says reports whether the line of a hit has the words that are looked for.
func (l *lines) says(b *block, h hit, m *matcher) (bool, error) {
	if l.whole == nil || l.of != (place{b.file, b.at}) {
		if err := l.load(b); err != nil {
			return false, err
		}
	}
	at := h.at - b.at
	if at < 0 || at+h.size > int64(len(l.whole)) {
		return false, errBlock
	}
	if !l.odd {
		for _, part := range m.parts {
			if !bytes.Contains(l.small[at:at+h.size], part) {
				return false, nil
			}
		}
	}
	return saysAll(bytes.TrimRight(l.whole[at:at+h.size], "\n\x00"), m.words), nil
}

// plainPart is the longest part of a folded word that JSON has as it is.
func plainPart(word string) (longest string) {
	begin := 0
	for i := 0; i <= len(word); i++ {
		if i < len(word) && word[i] >= ' ' && word[i] < utf8.RuneSelf && word[i] != '"' && word[i] != '\\' {
			continue
		}
		if i-begin > len(longest) {
			longest = word[begin:i]
		}
		begin = i + 1
	}
	return longest
}
