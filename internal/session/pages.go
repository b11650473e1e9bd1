package session

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// pages are files read as one, as long as each was when it was measured.
type pages struct {
	io.Reader
	files []*os.File
	sizes []int64
}

func (p *pages) measure(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		p.sizes = append(p.sizes, info.Size())
	}
	return err
}

func (p *pages) size() (sum int64) {
	for _, n := range p.sizes {
		sum += n
	}
	return sum
}

// ReadAt reads across the files.
func (p *pages) ReadAt(b []byte, off int64) (n int, err error) {
	for i, f := range p.files {
		if off >= p.sizes[i] {
			off -= p.sizes[i]
			continue
		}
		part := b[n:]
		part = part[:min(int64(len(part)), p.sizes[i]-off)]
		m, err := f.ReadAt(part, off)
		n += m
		if err != nil && !(errors.Is(err, io.EOF) && m == len(part)) {
			return n, err
		}
		if off = 0; n == len(b) {
			return n, nil
		}
	}
	return n, io.EOF
}

// Close closes the files.
func (p *pages) Close() error {
	var errs []error
	for _, f := range p.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// tail finds where the last lines begin; 0 lines are all.
func (p *pages) tail(lines int) (int64, error) {
	if lines <= 0 {
		return 0, nil
	}
	block := make([]byte, 64<<10)
	for end := p.size(); end > 0; {
		from := max(0, end-int64(len(block)))
		b := block[:end-from]
		if n, err := p.ReadAt(b, from); err != nil && n < len(b) {
			return 0, err
		}
		if end == p.size() && b[len(b)-1] == '\n' {
			b = b[:len(b)-1] // it ends the last line and begins none
		}
		for {
			at := bytes.LastIndexByte(b, '\n')
			if at < 0 {
				break
			}
			if lines--; lines == 0 {
				return from + int64(at) + 1, nil
			}
			b = b[:at]
		}
		end = from
	}
	return 0, nil
}
