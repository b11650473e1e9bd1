package terminal

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
)

// Here is what output does to the line that is not finished: text goes into its cells
// at the cursor, and controls move that, erase, or end the line.

// text takes the printable text that p starts with and returns its length.
func (l *Lines) text(p []byte) int {
	n := 0
	for n < len(p) {
		c := p[n]
		switch {
		case c >= 0x20 && c < 0x7f:
			n += l.ascii(p[n:])
		case c < utf8.RuneSelf || !utf8.FullRune(p[n:]):
			return n
		default:
			r, w := utf8.DecodeRune(p[n:])
			l.put(r)
			n += w
		}
	}
	return n
}

// whole takes a line of printable ASCII that p holds from its start to its end: most
// of what is printed fast. It returns its length, 0 if there is none.
func (l *Lines) whole(p []byte) (n int, line Line) {
	if len(l.cells) > 0 || l.col > 0 || l.flushed || l.drawn || l.cut || l.insert {
		return 0, line
	}
	end := bytes.IndexByte(p, '\n')
	if end < 0 || end > MaxLine {
		return 0, line
	}
	text := bytes.TrimSuffix(p[:end], []byte{'\r'})
	if !printable(text) {
		return 0, line
	}
	if len(text) > 0 {
		l.prev = rune(text[len(text)-1])
	}
	line = Line{Text: string(text), Lost: l.lost}
	l.lost, l.row = false, 0
	l.changes++
	return end + 1, line
}

// printable reports whether all bytes are ASCII characters that print, eight at a
// time.
func printable(p []byte) bool {
	const every, high = 0x0101010101010101, 0x8080808080808080
	for ; len(p) >= 8; p = p[8:] {
		x := binary.LittleEndian.Uint64(p)
		if x&high != 0 || (x+every)&high != 0 || ((x|high)-0x20*every)&high != high { // 0x80 and more, 0x7f, below 0x20
			return false
		}
	}
	for _, c := range p {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// ascii takes the printable ASCII text that p starts with, which is not empty, and
// returns its length.
func (l *Lines) ascii(p []byte) int {
	if l.col != len(l.cells) || l.insert || l.col+len(p) > MaxLine {
		l.put(rune(p[0]))
		return 1
	}
	n := 0
	for n < len(p) && p[n] >= 0x20 && p[n] < 0x7f {
		n++
	}
	l.cells = slices.Grow(l.cells, n)[:l.col+n]
	for i, c := range p[:n] {
		l.cells[l.col+i] = rune(c)
	}
	l.col += n
	l.prev = rune(p[n-1])
	return n
}

// string is what the cells say.
func (l *Lines) string() string {
	l.bytes = l.bytes[:0]
	for _, r := range l.cells {
		if r < utf8.RuneSelf {
			l.bytes = append(l.bytes, byte(r))
		} else {
			l.bytes = utf8.AppendRune(l.bytes, r)
		}
	}
	return string(l.bytes)
}

// step takes one byte in any state.
func (l *Lines) step(c byte, done []Line) []Line {
	if l.esc.state != ground {
		return l.escaped(c, done)
	}
	if len(l.split) > 0 || c >= utf8.RuneSelf {
		l.split = append(l.split, c)
		for len(l.split) > 0 && utf8.FullRune(l.split) {
			r, w := utf8.DecodeRune(l.split)
			l.split = append(l.split[:0], l.split[w:]...)
			if r < utf8.RuneSelf {
				done = l.control(byte(r), done)
			} else {
				l.put(r)
			}
		}
		return done
	}
	return l.control(c, done)
}

// control takes one ASCII byte outside any sequence.
func (l *Lines) control(c byte, done []Line) []Line {
	switch c {
	case '\n', '\v', '\f':
		done = l.finish(done)
		l.row = 0
	case '\r':
		l.carriageReturn()
	case '\b':
		l.col = max(l.col-1, 0)
	case 0x1b:
		l.esc = escape{state: afterEsc}
	default:
		if c == '\t' || c >= 0x20 && c < 0x7f {
			l.put(rune(c))
		}
	}
	return done
}

// carriageReturn goes to the start of the row in which the cursor is: a long line
// has several.
func (l *Lines) carriageReturn() {
	if l.width > 0 && l.col > l.width {
		l.col = (l.col - 1) / l.width * l.width
	} else {
		l.col = 0
	}
}

// put writes a rune at the cursor. C1 controls are dropped.
func (l *Lines) put(r rune) {
	if r >= 0x80 && r < 0xa0 {
		return
	}
	if l.col >= MaxLine {
		l.cut = true
		return
	}
	l.pad(l.col)
	switch {
	case l.col == len(l.cells):
		l.cells = append(l.cells, r)
	case l.insert && len(l.cells) < MaxLine:
		l.cells = slices.Insert(l.cells, l.col, r)
	default:
		l.cells[l.col] = r
	}
	l.col++
	l.prev = r
}

// pad makes the line at least n columns long.
func (l *Lines) pad(n int) {
	for len(l.cells) < n {
		l.cells = append(l.cells, ' ')
	}
}

func (l *Lines) current() Line {
	line := Line{Text: l.string(), Drawn: l.drawn, Cut: l.cut, Lost: l.lost}
	if l.flushed && strings.HasPrefix(line.Text, l.reported) {
		line.Seen = len(l.reported)
	}
	return line
}

// finish reports the line and starts the next.
func (l *Lines) finish(done []Line) []Line {
	done = append(done, l.current())
	l.changes++
	l.lost = false
	l.reset()
	return done
}

// reset starts an empty line.
func (l *Lines) reset() {
	l.cells = l.cells[:0]
	l.col = 0
	l.drawn, l.cut = false, false
	l.flushed, l.reported = false, ""
}

// leave ends the line because the cursor goes to another row.
func (l *Lines) leave(row, col int, done []Line) []Line {
	if strings.Trim(string(l.cells), " ") != "" {
		done = l.finish(done)
	} else {
		l.reset()
	}
	l.row = row
	l.place(col)
	l.drawn = true
	return done
}

// place moves the cursor within the line. It goes no further beyond the text
// than a wide screen, or a few bytes of movement would make a huge line.
func (l *Lines) place(col int) {
	l.col = max(0, min(col, max(maxColumn, len(l.cells))))
}

// erase blanks the columns from a up to b; b < 0 is the end of the line. A
// line that was erased in whole is all that the screen shows there.
func (l *Lines) erase(a, b int) {
	if b < 0 || b >= len(l.cells) {
		l.cells = l.cells[:min(a, len(l.cells))]
	} else {
		for i := a; i < b; i++ {
			l.cells[i] = ' '
		}
	}
	if a == 0 && b < 0 {
		l.drawn, l.cut = false, false
	}
}
