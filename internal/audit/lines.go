package audit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// line is one line of a file, without its line break.
type line struct {
	at    int64  // where it begins
	text  []byte // valid until the next line; nil if long
	whole bool   // it has its line break
	long  bool   // it is longer than any record
}

// scanner reads the lines of a file from some place on.
type scanner struct {
	in *bufio.Reader
	at int64
	no int // number of the line that next gave
}

func newScanner(f io.ReaderAt, from int64) *scanner {
	return &scanner{in: bufio.NewReaderSize(io.NewSectionReader(f, from, 1<<62-from), 256<<10), at: from}
}

// next gives the next line; io.EOF after the last.
func (s *scanner) next() (line, error) {
	text, err := s.in.ReadSlice('\n')
	l := line{at: s.at, text: text}
	if errors.Is(err, bufio.ErrBufferFull) {
		text = bytes.Clone(text)
		for errors.Is(err, bufio.ErrBufferFull) {
			s.at += int64(len(l.text))
			l.text, err = s.in.ReadSlice('\n')
			if l.long = l.long || len(text)+len(l.text) > maxLine+1; !l.long {
				text = append(text, l.text...)
			}
		}
	}
	s.at += int64(len(l.text))
	if err != nil && !errors.Is(err, io.EOF) {
		return l, err
	}
	if s.at == l.at {
		return l, io.EOF
	}
	s.no++
	l.whole, l.text = err == nil, bytes.TrimSuffix(text, []byte("\n"))
	if l.long {
		l.text = nil
	}
	return l, nil
}

const block = 64 << 10

// backward gives the lines of a file from the last to the first. The first that
// it gives may be a fragment without a line break.
func backward(f io.ReaderAt, size int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		var tail []byte // what was read of the line that is looked for
		end, long, whole := size, false, false
		buf := make([]byte, block)
		for pos := size; pos > 0; {
			n := min(pos, block)
			pos -= n
			chunk := buf[:n]
			if _, err := f.ReadAt(chunk, pos); err != nil && !errors.Is(err, io.EOF) {
				yield(line{}, err)
				return
			}
			for {
				i := bytes.LastIndexByte(chunk, '\n')
				if i < 0 {
					break
				}
				begin := pos + int64(i) + 1
				if begin < end || whole {
					text := append(bytes.Clone(chunk[i+1:]), tail...)
					if !yield(lineAt(begin, text, whole, long), nil) {
						return
					}
				}
				chunk, tail, long, whole = chunk[:i], nil, false, true
				end = begin - 1
			}
			if long = long || len(tail)+len(chunk) > maxLine; !long {
				tail = append(bytes.Clone(chunk), tail...)
			}
		}
		if end > 0 || whole {
			yield(lineAt(0, tail, whole, long), nil)
		}
	}
}

func lineAt(at int64, text []byte, whole, long bool) line {
	if long {
		text = nil
	}
	return line{at: at, text: text, whole: whole, long: long}
}
