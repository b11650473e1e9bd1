package terminal

import (
	"io"
	"strings"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// An emulator is a screen that output is drawn on. One goroutine may use it at
// a time.
type emulator interface {
	// write draws output: valid UTF-8 without string sequences (see filter). The
	// byte that completes a switch between the screens comes alone.
	write(p []byte)
	resize(cols, rows int)
	home() bool // the cursor is at the top left
	// screen is what it shows.
	screen() Screen
	// scrolled returns the rows that have left the screen at its top since the
	// last call, oldest first. What was erased is not among them.
	scrolled() []Row
	scrolledMore(than int) bool
	forget() // what scrolled returns
	close()
}

// mostScrolled bounds the rows that an emulator keeps for scrolled.
const mostScrolled = 4096

// vtEmulator is an emulator made of charmbracelet/x/vt, one for each of the two
// screens: the alternate screen of one alone keeps 10,000 rows of scrollback without
// a bound.
type vtEmulator struct {
	main, alt *vtScreen
	now       *vtScreen
	gone      []Row // scrolled, and not yet asked for
	shown     bool  // the cursor
	paste     bool
	sync      bool   // in the middle of a frame
	swap      func() // after this write, or nil
}

func newEmulator(cols, rows int) emulator {
	e := &vtEmulator{shown: true}
	e.main = e.open(cols, rows)
	e.now = e.main
	return e
}

func (e *vtEmulator) write(p []byte) {
	_, _ = e.now.vt.Write(p)
	if e.swap != nil {
		e.swap()
		e.swap = nil
	}
}

func (e *vtEmulator) resize(cols, rows int) {
	for _, s := range []*vtScreen{e.main, e.alt} {
		if s != nil {
			s.vt.Resize(max(cols, 1), max(rows, 1))
		}
	}
}

func (e *vtEmulator) close() {
	for _, s := range []*vtScreen{e.main, e.alt} {
		if s != nil {
			s.close()
		}
	}
}

// alternate switches between the screens. The alternate one begins empty.
func (e *vtEmulator) alternate(on bool) {
	e.collect()
	switch {
	case on == (e.now != e.main):
	case on:
		if e.alt == nil {
			e.alt = e.open(e.main.vt.Width(), e.main.vt.Height())
		}
		_, _ = e.alt.vt.WriteString("\x18\x1bc") // it begins empty, whatever was left there
		e.now = e.alt
	default:
		e.now = e.main
	}
}

func (e *vtEmulator) home() bool {
	at := e.now.vt.CursorPosition()
	return at.X == 0 && at.Y == 0
}

func (e *vtEmulator) screen() Screen {
	t := e.now.vt
	at := t.CursorPosition()
	s := Screen{
		Width: t.Width(), Height: t.Height(), Row: at.Y, Col: at.X,
		Shown: e.shown, Alternate: e.now != e.main, Paste: e.paste, drawing: e.sync,
	}
	s.Rows = make([]Row, s.Height)
	for y := range s.Rows {
		s.Rows[y] = rowOf(s.Width, func(x int) *uv.Cell { return t.CellAt(x, y) })
	}
	return s
}

func (e *vtEmulator) scrolled() []Row {
	e.collect()
	rows := e.gone
	e.gone = nil
	return rows
}

func (e *vtEmulator) scrolledMore(than int) bool { return len(e.gone)+e.now.vt.ScrollbackLen() > than }

func (e *vtEmulator) forget() {
	e.gone = nil
	e.now.erased = 0
	e.now.vt.Scrollback().Clear()
}

// collect takes what has scrolled from the screen.
func (e *vtEmulator) collect() {
	e.gone = append(e.gone, e.now.scrolled()...)
	if over := len(e.gone) - mostScrolled; over > 0 {
		e.gone = e.gone[over:]
	}
}

// vtScreen is one screen.
//
// It answers what programs ask their terminal; the answers are dropped, because
// the program hears that of the user's terminal, and because nothing that a
// program prints may make us type. They come through a pipe that has to be read,
// or the next write would hang.
type vtScreen struct {
	vt      *vt.Emulator
	top     int // of the region that scrolls
	erased  int // rows that an erasing put into the scrollback
	drained sync.WaitGroup
}

// open makes a screen that tells the emulator what is switched on it.
func (e *vtEmulator) open(cols, rows int) *vtScreen {
	s := &vtScreen{vt: vt.NewEmulator(max(cols, 1), max(rows, 1))}
	s.vt.SetScrollbackSize(mostScrolled)
	// Erasing the screen moves its rows to the scrollback, though they did not
	// scroll; they are counted, to be left out. Or it empties the scrollback.
	s.vt.RegisterCsiHandler('J', func(params ansi.Params) bool {
		e.collect()
		if how, _, _ := params.Param(0, 0); how == 2 {
			s.erased = s.texts()
		}
		return false // go on with the erasing
	})
	// A character that is repeated beyond its row is not text, but could keep us
	// busy for minutes.
	s.vt.RegisterCsiHandler('b', func(params ansi.Params) bool {
		n, _, _ := params.Param(0, 1)
		return n > s.vt.Width()
	})
	s.vt.RegisterCsiHandler('r', func(params ansi.Params) bool {
		e.collect() // what has scrolled went from the top as it was
		top, _, _ := params.Param(0, 1)
		s.top = max(top, 1) - 1
		return false
	})
	s.vt.RegisterEscHandler('c', func() bool {
		e.collect()
		s.top = 0
		return false
	})
	for _, on := range []bool{true, false} {
		final := byte('l')
		if on {
			final = 'h'
		}
		s.vt.RegisterCsiHandler(ansi.Command('?', 0, final), func(params ansi.Params) bool { return e.modes(params, on) })
	}
	s.drained.Go(func() { _, _ = io.Copy(io.Discard, s.vt) })
	return s
}

// modes notes the modes that we want to know of. It reports whether they were
// dealt with: the switch of screens is ours.
func (e *vtEmulator) modes(params ansi.Params, on bool) (done bool) {
	for i := range params {
		switch mode, _, _ := params.Param(i, 0); mode {
		case 25:
			e.shown = on
		case 2004:
			e.paste = on
		case 2026:
			e.sync = on
		case 47, 1047, 1049:
			e.swap = func() { e.alternate(on) }
			done = true
		}
	}
	return done
}

// texts counts the rows that are not blank.
func (s *vtScreen) texts() (n int) {
	for y := range s.vt.Height() {
		for x := range s.vt.Width() {
			if c := s.vt.CellAt(x, y); c != nil && c.Content != "" && c.Content != " " {
				n++
				break
			}
		}
	}
	return n
}

// scrolled empties the scrollback.
func (s *vtScreen) scrolled() (rows []Row) {
	back := s.vt.Scrollback()
	lines := back.Lines()
	for _, line := range lines[min(s.erased, len(lines)):] {
		row := rowOf(len(line), func(x int) *uv.Cell { return &line[x] })
		row.full, row.top = len(line) == s.vt.Width(), s.top
		rows = append(rows, row)
	}
	s.erased = 0
	back.Clear()
	return rows
}

// close ends the answers, and so the reading of them. The emulator's own Close
// does that too, but races with the reading.
func (s *vtScreen) close() {
	if answers, ok := s.vt.InputPipe().(io.Closer); ok {
		_ = answers.Close()
	} else {
		_ = s.vt.Close()
	}
	s.drained.Wait()
}

// rowOf reads a row cell by cell. A wide character is one cell and a gap.
func rowOf(width int, cell func(int) *uv.Cell) Row {
	var text, solid strings.Builder
	faint, full := false, false
	for x := 0; x < width; x++ {
		c := cell(x)
		full = c != nil && c.Content != "" && c.Content != " "
		if c == nil || c.Content == "" {
			text.WriteByte(' ')
			solid.WriteByte(' ')
			continue
		}
		text.WriteString(c.Content)
		if c.Style.Attrs&uv.AttrFaint != 0 && c.Content != " " {
			faint = true
			solid.WriteString(strings.Repeat(" ", max(c.Width, 1)))
		} else {
			solid.WriteString(c.Content)
		}
		x += max(c.Width, 1) - 1
	}
	r := Row{Text: strings.TrimRight(text.String(), " "), full: full}
	r.Solid = r.Text
	if faint {
		r.Solid = strings.TrimRight(solid.String(), " ")
	}
	return r
}
