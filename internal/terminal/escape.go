package terminal

import "slices"

// escape is how far a terminal sequence has been read.
type escape struct {
	state   state
	private bool // a CSI with < = > ? or an intermediate byte
	params  [8]int
	n       int // index of the parameter being read
	length  int // bytes of a string so far
	bell    bool
}

type state byte

const (
	ground    state = iota
	afterEsc        // ESC
	inter           // ESC and intermediate bytes
	single          // ESC N, ESC O: one character follows
	csi             // ESC [
	str             // OSC, DCS, SOS, PM, APC
	stringEsc       // ESC in a string: perhaps its end
)

// operation is what a sequence does, as far as it matters beyond its line.
type operation byte

const (
	opText   operation = iota // nothing: it stays in its line, or goes to the next
	opPaint                   // the cursor goes to another row, or rows move
	opErase                   // what is below the cursor is erased
	opClear                   // the whole screen is erased
	opSwitch                  // to the alternate screen, or back
	opMode                    // another mode of the terminal is switched
	opFrame                   // a frame begins, which is shown when it is whole
)

// completes says what the sequence does that the byte c completes.
func (e *escape) completes(c byte) operation {
	switch e.state {
	case afterEsc:
		switch c {
		case 'M', '8':
			return opPaint
		case 'c':
			return opClear
		}
	case csi:
		if c >= 0x40 && c < 0x7f {
			return e.csiCompletes(c)
		}
	}
	return opText
}

func (e *escape) csiCompletes(c byte) operation {
	if e.private {
		if c == 'h' || c == 'l' {
			for _, mode := range e.params[:min(e.n+1, len(e.params))] {
				if switches(mode) {
					return opSwitch
				}
			}
			if c == 'h' && e.params[0] == 2026 {
				return opFrame
			}
			return opMode
		}
		return opText
	}
	switch c {
	case 'A', 'B', 'E', 'F', 'H', 'L', 'M', 'S', 'T', 'd', 'e', 'f', 'k', 'r', 'u':
		return opPaint
	case 'J':
		switch e.params[0] {
		case 0:
			return opErase
		case 1:
			return opPaint
		case 2:
			return opClear
		}
	}
	return opText
}

// switches reports whether a mode is that of the alternate screen.
func switches(mode int) bool { return mode == 1049 || mode == 1047 || mode == 47 }

// maxString bounds a string sequence that is never ended, so that a stray
// introducer cannot hide the rest of the output. Images in one are smaller.
const maxString = 4 << 20

// lose says that output is missing. A string goes on until its end comes; what was
// read of other sequences is void.
func (e *escape) lose() {
	if e.state != str && e.state != stringEsc {
		*e = escape{}
	}
}

// escaped takes one byte of a sequence.
func (l *Lines) escaped(c byte, done []Line) []Line {
	e := &l.esc
	if e.state == stringEsc && c != '\\' { // no end: the ESC begins a sequence
		*e = escape{state: afterEsc}
	}
	switch {
	case c == 0x18 || c == 0x1a: // CAN and SUB abort every sequence
		*e = escape{}
	case e.state == str:
		e.length++
		switch {
		case c == 0x1b:
			e.state = stringEsc
		case c == 0x07 && e.bell || e.length > maxString:
			*e = escape{}
		}
	case c == 0x1b:
		*e = escape{state: afterEsc}
	case e.state == stringEsc:
		*e = escape{}
	case c < 0x20: // controls act within a sequence
		return l.control(c, done)
	case e.state == csi:
		return l.csiByte(c, done)
	case e.state == single:
		*e = escape{}
	default:
		return l.escByte(c, done)
	}
	return done
}

// escByte takes a byte after ESC.
func (l *Lines) escByte(c byte, done []Line) []Line {
	was := l.esc.state
	l.esc = escape{}
	switch {
	case c < 0x30:
		l.esc.state = inter
	case was == inter:
	case c == '[':
		l.esc.state = csi
	case c == ']':
		l.esc = escape{state: str, bell: true}
	case c == 'P', c == 'X', c == '^', c == '_':
		l.esc.state = str
	case c == 'N', c == 'O':
		l.esc.state = single
	case c == 'D', c == 'E':
		return l.control('\n', done)
	case c == 'M', c == '8':
		return l.leave(0, l.col, done)
	case c == 'c':
		l.reset()
	}
	return done
}

// csiByte takes a byte after ESC [.
func (l *Lines) csiByte(c byte, done []Line) []Line {
	e := &l.esc
	switch {
	case c >= '0' && c <= '9':
		if e.n < len(e.params) {
			e.params[e.n] = min(e.params[e.n]*10+int(c-'0'), MaxLine)
		}
	case c == ';' || c == ':':
		e.n++
	case c < 0x40:
		e.private = true
	case c < 0x7f:
		seq := *e
		*e = escape{}
		if seq.private {
			return l.mode(c, seq.params[0], done)
		}
		return l.move(c, seq.params, done)
	case c > 0x7f: // not of a sequence: give it back to the text
		*e = escape{}
		return l.step(c, done)
	}
	return done
}

// mode follows the switch between the screens; other modes do not matter.
func (l *Lines) mode(c byte, mode int, done []Line) []Line {
	if (c == 'h' || c == 'l') && switches(mode) {
		return l.leave(0, 0, done)
	}
	return done
}

// move carries out a CSI sequence.
func (l *Lines) move(c byte, params [8]int, done []Line) []Line {
	n := max(params[0], 1)
	switch c {
	case 'C', 'a':
		l.place(l.col + n)
	case 'D':
		l.place(l.col - n)
	case 'G', '`':
		l.place(n - 1)
	case 'A', 'F', 'k':
		return l.leave(l.rowAfter(-n), l.colAfter(c == 'F'), done)
	case 'B', 'E', 'e':
		return l.leave(l.rowAfter(n), l.colAfter(c == 'E'), done)
	case 'H', 'f', 'd':
		col := max(params[1], 1) - 1
		if c == 'd' {
			col = l.col
		}
		if n == l.row {
			l.place(col)
			return done
		}
		return l.leave(n, col, done)
	case 'L', 'M', 'u':
		return l.leave(0, l.col, done)
	case 'r':
		return l.leave(1, 0, done)
	case 'b':
		for range min(n, maxColumn) {
			if l.prev != 0 {
				l.put(l.prev)
			}
		}
	default:
		l.edit(c, params[0], n)
	}
	return done
}

// edit carries out a CSI sequence that changes the line.
func (l *Lines) edit(c byte, how, n int) {
	end := min(l.col+n, len(l.cells))
	switch c {
	case 'K', 'J':
		switch how {
		case 0:
			l.erase(l.col, -1)
		case 1:
			l.erase(0, min(l.col+1, len(l.cells)))
		case 2, 3:
			l.erase(0, -1)
		}
	case 'X':
		if l.col < end {
			l.erase(l.col, end)
			l.pad(end)
		}
	case 'P':
		if l.col < end {
			l.cells = slices.Delete(l.cells, l.col, end)
		}
	case '@':
		if l.col < len(l.cells) {
			l.cells = slices.Insert(l.cells, l.col, slices.Repeat([]rune{' '}, min(n, maxColumn))...)
			if len(l.cells) > MaxLine {
				l.cells, l.cut = l.cells[:MaxLine], true
			}
		}
	}
}

// rowAfter returns the row n below the cursor, 0 if that is unknown.
func (l *Lines) rowAfter(n int) int {
	if l.row == 0 {
		return 0
	}
	return max(l.row+n, 1)
}

func (l *Lines) colAfter(home bool) int {
	if home {
		return 0
	}
	return l.col
}
