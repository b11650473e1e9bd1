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
	// write draws output: valid UTF-8 without string sequences (see filter).
	write(p []byte)
	resize(cols, rows int)
	// screen is what it shows.
	screen() Screen
	// scrolled returns the rows that have left the main screen at its top since
	// the last call, oldest first. What was erased is not among them.
	scrolled() []Row
	close()
}

// mostScrolled bounds the rows that an emulator keeps for scrolled.
const mostScrolled = 4096

// vtEmulator is the emulator of charmbracelet/x/vt.
//
// It answers what programs ask their terminal; the answers are dropped, because
// the program hears that of the user's terminal, and because nothing that a
// program prints may make us type. They come through a pipe that has to be read,
// or the next write would hang.
type vtEmulator struct {
	vt      *vt.Emulator
	gone    []Row // scrolled, and not yet asked for
	erased  int   // rows that an erasing put into the scrollback
	drained sync.WaitGroup
	shown   bool
	alt     bool
	paste   bool
}

func newEmulator(cols, rows int) emulator {
	e := &vtEmulator{vt: vt.NewEmulator(max(cols, 1), max(rows, 1)), shown: true}
	e.vt.SetScrollbackSize(mostScrolled)
	e.vt.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { e.alt = on },
		CursorVisibility: func(visible bool) { e.shown = visible },
		EnableMode:       func(m ansi.Mode) { e.mode(m, true) },
		DisableMode:      func(m ansi.Mode) { e.mode(m, false) },
	})
	// Erasing the screen moves its rows to the scrollback, though they did not
	// scroll; they are counted, to be left out. Or it empties the scrollback.
	e.vt.RegisterCsiHandler('J', func(params ansi.Params) bool {
		e.collect()
		if how, _, _ := params.Param(0, 0); how == 2 && !e.alt {
			e.erased = e.texts()
		}
		return false // go on with the erasing
	})
	e.drained.Go(func() { _, _ = io.Copy(io.Discard, e.vt) })
	return e
}

func (e *vtEmulator) mode(m ansi.Mode, on bool) {
	if m == ansi.ModeBracketedPaste {
		e.paste = on
	}
}

// texts counts the rows that are not blank, as the emulator does it.
func (e *vtEmulator) texts() (n int) {
	for y := range e.vt.Height() {
		for x := range e.vt.Width() {
			if c := e.vt.CellAt(x, y); c != nil && c.Content != "" && c.Content != " " {
				n++
				break
			}
		}
	}
	return n
}

func (e *vtEmulator) write(p []byte) { _, _ = e.vt.Write(p) }

func (e *vtEmulator) resize(cols, rows int) { e.vt.Resize(max(cols, 1), max(rows, 1)) }

func (e *vtEmulator) close() {
	_ = e.vt.Close()
	e.drained.Wait()
}

func (e *vtEmulator) screen() Screen {
	at := e.vt.CursorPosition()
	s := Screen{
		Width: e.vt.Width(), Height: e.vt.Height(), Row: at.Y, Col: at.X,
		Shown: e.shown, Alternate: e.alt, Paste: e.paste,
	}
	s.Rows = make([]Row, s.Height)
	for y := range s.Rows {
		s.Rows[y] = rowOf(s.Width, func(x int) *uv.Cell { return e.vt.CellAt(x, y) })
	}
	return s
}

func (e *vtEmulator) scrolled() []Row {
	e.collect()
	rows := e.gone
	e.gone = nil
	return rows
}

// collect empties the scrollback.
func (e *vtEmulator) collect() {
	back := e.vt.Scrollback()
	lines := back.Lines()
	for _, line := range lines[min(e.erased, len(lines)):] {
		row := rowOf(len(line), func(x int) *uv.Cell { return &line[x] })
		row.full = len(line) == e.vt.Width()
		e.gone = append(e.gone, row)
	}
	if over := len(e.gone) - mostScrolled; over > 0 {
		e.gone = e.gone[over:]
	}
	e.erased = 0
	back.Clear()
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
