package keep

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Entry is a kept event as it is on the disk: [Parse] reads it.
type Entry struct {
	Seq  int64 // number of its record
	Text []byte
	File string // where it stands
	At   int64  // the first byte of its block
}

// Damage is a place where no entry can be read. Reading goes on after it.
type Damage struct {
	File string
	At   int64 // byte
	Torn bool  // a process died while it wrote there
	Err  error
}

func (d *Damage) Error() string {
	if d.Torn {
		return fmt.Sprintf("%s: byte %d: a block of kept events is torn: its writer died over it", d.File, d.At)
	}
	return fmt.Sprintf("%s: byte %d: a block of kept events cannot be read: %v", d.File, d.At, d.Err)
}

func (d *Damage) Unwrap() error { return d.Err }

// behind bounds how far an entry may stand behind those of later records: each process
// writes what it has after a moment.
const behind = 4096

// Entries gives the entries of a store, from around the one of a record on, in the order
// in which they were written. An error that is a *Damage stands for one place; any other
// ends the reading. No folder has no entries.
func Entries(dir string, from int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		there, err := files(dir)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Entry{}, fmt.Errorf("the kept events cannot be read: %w", err))
			return
		}
		for i, f := range there {
			if i+1 < len(there) && there[i+1].first <= from-behind {
				continue
			}
			if !readFile(filepath.Join(dir, f.name), yield) {
				return
			}
		}
	}
}

// readFile gives the entries of one file.
func readFile(path string, yield func(Entry, error) bool) bool {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) { // removed for its age meanwhile
		return true
	}
	if err == nil {
		defer f.Close()
		var info os.FileInfo
		if info, err = f.Stat(); err == nil {
			r := &blocks{path: path, in: f, size: info.Size()}
			return r.all(yield)
		}
	}
	yield(Entry{}, fmt.Errorf("the kept events cannot be read: %w", err))
	return false
}

// blocks reads the blocks of one file.
type blocks struct {
	path string
	in   io.ReaderAt
	size int64
	at   int64
	buf  []byte
}

func (r *blocks) all(yield func(Entry, error) bool) bool {
	for r.at < r.size {
		begin := r.at
		list, err := r.next()
		var damage *Damage
		if err != nil && !errors.As(err, &damage) {
			yield(Entry{}, fmt.Errorf("the kept events cannot be read: %w", err))
			return false
		}
		for _, e := range list {
			if !yield(Entry{Seq: e.seq, Text: e.text, File: r.path, At: begin}, nil) {
				return false
			}
		}
		if err != nil && !yield(Entry{}, err) {
			return false
		}
	}
	return true
}

// next reads the block at the place, or goes on to the next one.
func (r *blocks) next() ([]entry, error) {
	begin := r.at
	var head [headerSize]byte
	n, err := r.in.ReadAt(head[:min(headerSize, r.size-r.at)], r.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h, err := parseHeader(head[:n])
	if err != nil {
		return nil, r.skip(begin, begin+1, func(size int64) bool {
			return size < headerSize && (size < 4 || string(head[:4]) == magic)
		}, err)
	}
	end := begin + headerSize + int64(h.small)
	if end > r.size {
		return nil, r.skip(begin, begin+headerSize, func(int64) bool { return true }, errors.New("it is cut"))
	}
	small := r.room(int(h.small))
	if _, err := r.in.ReadAt(small, begin+headerSize); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	list, err := unpack(h, small)
	if err != nil {
		if next, found := r.find(begin+headerSize, end); found { // another process went on behind a torn block
			r.at = next
			return nil, &Damage{File: r.path, At: begin, Torn: true, Err: err}
		}
		r.at = end
		return list, &Damage{File: r.path, At: begin, Err: err}
	}
	r.at = end
	return list, nil
}

func (r *blocks) room(n int) []byte {
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	return r.buf[:n]
}

// skip goes on to the next block after a place. torn says whether what is before it may
// be the beginning of a block.
func (r *blocks) skip(begin, from int64, torn func(size int64) bool, why error) error {
	next, found := r.find(from, r.size)
	if !found {
		next = r.size
	}
	r.at = next
	return &Damage{File: r.path, At: begin, Torn: torn(next-begin) || r.blank(begin, next), Err: why}
}

// find looks for the next header in a part of the file.
func (r *blocks) find(from, to int64) (int64, bool) {
	buf := make([]byte, 64<<10)
	for at := from; at < to; {
		n, err := r.in.ReadAt(buf[:min(int64(len(buf)), r.size-at)], at)
		if n == 0 || err != nil && !errors.Is(err, io.EOF) {
			return 0, false
		}
		part := buf[:n]
		for i := 0; i < len(part); {
			k := nextMagic(part[i:])
			if k < 0 || at+int64(i+k) >= to {
				break
			}
			i += k
			if i+headerSize > len(part) && at+int64(len(part)) < r.size {
				break // it is looked at from its begin on
			}
			if _, err := parseHeader(part[i:min(i+headerSize, len(part))]); err == nil {
				return at + int64(i), true
			}
			i++
		}
		if at+int64(n) >= r.size {
			return 0, false
		}
		at += int64(n) - headerSize
	}
	return 0, false
}

// blank reports whether a part of the file was never written, as after a power cut.
func (r *blocks) blank(from, to int64) bool {
	buf := make([]byte, 64<<10)
	for at := from; at < to; {
		n, err := r.in.ReadAt(buf[:min(int64(len(buf)), to-at)], at)
		if n == 0 || err != nil && !errors.Is(err, io.EOF) {
			return false
		}
		for _, c := range buf[:n] {
			if c != 0 {
				return false
			}
		}
		at += int64(n)
	}
	return true
}
