package terminal

import (
	"strings"
	"time"
)

// Screen is what a program shows at one moment.
type Screen struct {
	Rows          []Row // all rows, from top to bottom
	Width, Height int   // in columns and rows

	Row, Col int  // where the cursor is, from 0
	Shown    bool // the cursor is visible

	Alternate bool // it is the alternate screen, which full-screen programs use
	Paste     bool // the program asked for bracketed paste

	// Changed is when a text or the cursor last changed. Repainting the same,
	// colours, titles and ghost text (see Row.Solid) do not count as a change.
	Changed time.Time

	drawing bool // the program says that it is in the middle of a frame
}

// Row is one row of a screen.
type Row struct {
	Text string // without the blanks at its end

	// Solid is Text with blanks in place of what is drawn faint, as agents draw
	// suggestions.
	Solid string

	top  int  // of one that has scrolled: the screen's row from which it went
	full bool // something stands in the last column
}

// At returns a row of the screen, or an empty one outside it.
func (s Screen) At(row int) Row {
	if row < 0 || row >= len(s.Rows) {
		return Row{}
	}
	return s.Rows[row]
}

// same reports whether both screens show the same, ghost text aside.
func (s Screen) same(o Screen) bool {
	if s.Row != o.Row || s.Col != o.Col || s.Alternate != o.Alternate || len(s.Rows) != len(o.Rows) {
		return false
	}
	for i := range s.Rows {
		if s.Rows[i].Solid != o.Rows[i].Solid {
			return false
		}
	}
	return true
}

// used is how many rows there are down to the last one with text, or the cursor.
func (s Screen) used() int {
	n := len(s.Rows)
	for n > s.Row+1 && strings.TrimSpace(s.Rows[n-1].Text) == "" {
		n--
	}
	return n
}
