package terminal

import (
	"bytes"
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
