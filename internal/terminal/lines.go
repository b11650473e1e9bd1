package terminal

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxLine is the greatest length of a line in runes. The rest of a longer
// line is dropped, and Cut says so.
const MaxLine = 64 << 10

// maxColumn bounds cursor movement beyond the text.
const maxColumn = 512

// A Line is one line of output without terminal escapes.
type Line struct {
	Text string

	// Partial: the line is unfinished; the output paused after it.
	Partial bool
	// Seen is how many bytes of Text were already reported in a partial
	// line, so that only Text[Seen:] is new. A line that was reported in whole
	// comes once more when it ends, with Seen == len(Text). If what was
	// reported was overwritten or erased, Seen is 0.
	Seen int
	// Echo: the text is what was typed, not what the program said.
	Echo bool
	// Slow: the line was printed in pieces, with pauses, as an answer is that is
	// still being written.
	Slow bool
	// Painted: the program has drawn the line on the screen; it was not printed
	// and ended by a line feed.
	Painted bool
	// More: the painted line may go on in the next, which is not finished.
	More bool
	// Aside: the painted line is none of the text that the program says one line
	// after the other: it is rewritten again and again, or stands below the input.
	Aside bool
	// Blank is how many blank rows stand above a painted line.
	Blank int
	// Drawn: the cursor was moved to the line and the line was not erased,
	// so the text may be a piece of what the screen shows there. Lines says so;
	// a Program reports no such line.
	Drawn bool
	// Cut: the line was longer than MaxLine.
	Cut bool
	// Lost: output before this line is missing.
	Lost bool
}

// Lines turns raw output into lines. The zero value is ready; one goroutine
// may use it at a time.
//
// It follows the cursor within a line: carriage return, backspace, moving,
// erasing, inserting and deleting. So a progress bar
// is its last state, and cursor-forward counts as spaces. Columns are runes.
// Colours, titles, links and all other sequences are removed. Moving to
// another row ends the line; lines that wrap at the right margin are one.
// Invalid UTF-8 becomes U+FFFD.
type Lines struct {
	cells []rune
	col   int
	row   int // 1-based screen row, if the cursor was placed; 0 is unknown
	prev  rune
	drawn bool
	cut   bool
	lost  bool
	skip  bool // dropping the rest of a line that has lost a part

	width  int  // of the terminal, where text wraps; 0 is unknown
	insert bool // text does not overwrite, as when a user edits

	flushed  bool // Flush has reported a text
	reported string

	changes int // how often text was written or a line ended

	esc   escape
	bytes []byte // of string
	split []byte // the start of a rune, cut off by the end of a write
}

// Feed takes the next output and returns the lines it finishes.
func (l *Lines) Feed(p []byte) []Line {
	var done []Line
	for len(p) > 0 {
		var op operation
		if p, done, op = l.scan(p, done); op != opText {
			done = l.step(p[0], done)
			p = p[1:]
		}
	}
	return done
}

// scan takes output up to the byte that completes an operation on more than the
// line, and returns that byte and what follows it. Without such a byte it takes
// all.
func (l *Lines) scan(p []byte, done []Line) ([]byte, []Line, operation) {
	for len(p) > 0 {
		if l.skip {
			end := bytes.IndexByte(p, '\n')
			if end < 0 {
				return nil, done, opText
			}
			l.skip = false
			p = p[end+1:]
			continue
		}
		if l.esc.state == ground && len(l.split) == 0 {
			if n, line := l.whole(p); n > 0 {
				done = append(done, line)
				p = p[n:]
				continue
			}
			n := l.text(p)
			if n > 0 {
				l.changes++
			}
			if p = p[n:]; len(p) == 0 {
				break
			}
		}
		if op := l.esc.completes(p[0]); op != opText {
			return p, done, op
		}
		done = l.step(p[0], done)
		p = p[1:]
	}
	return nil, done, opText
}

// Flush returns the unfinished line, if it has text that was not reported.
// Call it when the output pauses: a prompt has no line end. When the line is
// finished later, it is reported again, with Seen set.
func (l *Lines) Flush() (Line, bool) {
	line := l.current()
	if line.Seen == len(line.Text) {
		return Line{}, false
	}
	line.Partial = true
	l.flushed, l.reported = true, line.Text
	l.lost = false
	return line, true
}

// end finishes the last line, if it has text.
func (l *Lines) end() (Line, bool) {
	line := l.current()
	l.reset()
	return line, line.Text != ""
}

// open returns the unfinished line, if it has text.
func (l *Lines) open() (Line, bool) {
	line := l.current()
	return line, line.Text != ""
}

// resume goes on with a line that stands on the screen already. known: its text
// was reported.
func (l *Lines) resume(text string, col int, known bool) {
	l.reset()
	l.cells = append(l.cells[:0], []rune(text)...)
	l.pad(col)
	l.col = col
	if known {
		l.flushed, l.reported = true, string(l.cells)
	}
}

// Lose says that output is missing here. The unfinished line and the output
// up to the next line end are dropped.
func (l *Lines) Lose() {
	l.reset()
	l.esc.lose()
	l.split = l.split[:0]
	l.row = 0
	l.lost, l.skip = true, l.esc.state == ground
}

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
