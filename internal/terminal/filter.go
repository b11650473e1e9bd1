package terminal

import (
	"bytes"
	"unicode/utf8"
)

// filter takes out of a stream what an emulator has no use for and could be
// harmed by: string sequences (titles, clipboard, images, links, whatever their
// size), raw C1 controls, and bytes that are not UTF-8, which become U+FFFD. The
// zero value is ready.
type filter struct {
	out   []byte
	esc   bool // the last byte was an ESC that is not passed on yet
	str   bool // in a string sequence
	osc   bool // BEL ends it too
	n     int  // bytes of the string
	split []byte
}

// lose says that output is missing. A string goes on until its end comes.
func (f *filter) lose() {
	f.esc, f.split = false, f.split[:0]
}

// take returns what is left of p. The result is valid until the next call.
func (f *filter) take(p []byte) []byte {
	f.out = f.out[:0]
	for len(p) > 0 {
		switch {
		case f.str:
			p = f.skip(p)
		case f.esc:
			f.escaped(p[0])
			p = p[1:]
		case len(f.split) > 0:
			p = f.join(p)
		default:
			p = f.text(p)
		}
	}
	return f.out
}

// text takes ordinary bytes up to the next ESC.
func (f *filter) text(p []byte) []byte {
	end := bytes.IndexByte(p, 0x1b)
	part := p
	if end >= 0 {
		part = p[:end]
	}
	for len(part) > 0 {
		n := 0
		for n < len(part) && part[n] < utf8.RuneSelf {
			n++
		}
		f.out = append(f.out, part[:n]...)
		if part = part[n:]; len(part) == 0 {
			break
		}
		if end < 0 && !utf8.FullRune(part) {
			f.split = append(f.split[:0], part...)
			return nil
		}
		r, w := utf8.DecodeRune(part)
		f.rune(r)
		part = part[w:]
	}
	if end < 0 {
		return nil
	}
	f.esc = true
	return p[end+1:]
}

func (f *filter) rune(r rune) {
	if r >= 0xa0 { // RuneError is one of them; C1 controls are dropped
		f.out = utf8.AppendRune(f.out, r)
	}
}

// join goes on with a rune that the last piece has cut in two.
func (f *filter) join(p []byte) []byte {
	f.split = append(f.split, p[0])
	for len(f.split) > 0 && utf8.FullRune(f.split) {
		r, w := utf8.DecodeRune(f.split)
		if r < utf8.RuneSelf { // it is the last byte, and begins something else
			f.split = f.split[:0]
			return p
		}
		f.rune(r)
		f.split = append(f.split[:0], f.split[w:]...)
	}
	return p[1:]
}

// escaped takes the byte after an ESC.
func (f *filter) escaped(c byte) {
	switch c {
	case ']', 'P', 'X', '^', '_':
		f.esc, f.str, f.osc, f.n = false, true, c == ']', 0
	case 0x1b: // the first one is void
	case '\\': // the end of a string
		f.esc = false
	default:
		f.esc = false
		if c < utf8.RuneSelf {
			f.out = append(f.out, 0x1b, c)
		}
	}
}

// skip reads a string sequence to its end. One that is never ended hides no
// more than maxString bytes.
func (f *filter) skip(p []byte) []byte {
	end := bytes.IndexAny(p, "\x1b\x07\x18\x1a")
	if end < 0 {
		end = len(p)
	}
	if f.n += end; f.n > maxString {
		f.str = false
		return p[max(0, end-(f.n-maxString)):]
	}
	if end == len(p) {
		return nil
	}
	switch p[end] {
	case 0x1b:
		f.str, f.esc = false, true
	case 0x07:
		f.n++
		f.str = !f.osc
	default:
		f.str = false
	}
	return p[end+1:]
}
