package faketui

import (
	"fmt"
	"strings"
)

// painter draws a performance. It writes to p.out; draw flushes.
type painter interface {
	begin()   // before the first frame
	frame()   // the screen gets what it lacks
	resized() // the size is another one, or everything is to be drawn again
	cleared() // the transcript is gone
	finish()  // the program ends; the terminal gets back what was set
}

var painters = map[Style]func(*performance) painter{
	Ink:       func(p *performance) painter { return &inkPainter{performance: p} },
	Alternate: func(p *performance) painter { return &alternatePainter{performance: p} },
	Inline:    func(p *performance) painter { return &inlinePainter{performance: p} },
	Plain:     func(p *performance) painter { return &plainPainter{performance: p} },
}

// Escape sequences.
const (
	faint, grey, bold, normal = "\x1b[2m", "\x1b[48;5;237m", "\x1b[1m", "\x1b[0m"
	eraseLine, eraseBelow     = "\x1b[2K", "\x1b[J"
	hideCursor, showCursor    = "\x1b[?25l", "\x1b[?25h"
	brackets, noBrackets      = "\x1b[?2004h", "\x1b[?2004l"
)

func goTo(row, col int) string { return fmt.Sprintf("\x1b[%d;%dH", row+1, col+1) }

// piece is a part of the transcript.
type piece struct {
	kind kind
	text string
}

type kind int

const (
	user kind = iota
	agent
	tool
	note
)

// lines are the rows of a piece, with a blank one after it.
func (s piece) lines(cols int) []string {
	var rows []string
	switch s.kind {
	case user:
		for _, row := range wrap(s.text, "❯ ", "  ", cols) {
			rows = append(rows, grey+row+normal)
		}
	case agent:
		rows = wrap(s.text, "● ", "  ", cols)
	case tool:
		for i, row := range strings.Split(s.text, "\n") {
			prefix := "     "
			if i == 0 {
				prefix = "  ⎿  "
			}
			rows = append(rows, wrap(row, prefix, "     ", cols)...)
		}
	case note:
		rows = wrap("✻ "+s.text, "", "", cols)
	}
	return append(rows, "")
}

// transcript are the rows of the pieces from one on.
func (p *performance) transcript(from int) []string {
	var rows []string
	for _, s := range p.said[from:] {
		rows = append(rows, s.lines(p.cols)...)
	}
	return rows
}

// streamed are the rows of the answer that is on its way.
func (p *performance) streamed() []string {
	if p.live == "" {
		return nil
	}
	return append(wrap(strings.TrimRight(p.live, " \n"), "● ", "  ", p.cols), "")
}

// mostBox is how many rows of an input are shown; more are folded.
const mostBox = 8

// boxed are the rows below the transcript: spinner, input box and status, or a
// dialog; and where the cursor is in them, if it is shown at all.
func (p *performance) boxed() (rows []string, row, col int, input bool) {
	if p.spin > 0 {
		glyph := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[p.spin%10]
		rows = append(rows, fmt.Sprintf("%c Thinking… (%ds · esc to interrupt)", glyph, p.spin/10), "")
	}
	rule := strings.Repeat("─", p.cols)
	if p.asked != nil {
		rows = append(rows, rule, " "+bold+p.asked.Text+normal)
		for i, choice := range p.asked.Choices {
			mark := "   "
			if i == 0 {
				mark = " ❯ "
			}
			rows = append(rows, fmt.Sprintf("%s%d. %s", mark, i+1, choice))
		}
		return append(rows, "", faint+" Enter to confirm · Esc to cancel"+normal), len(rows), 0, false
	}
	rows = append(rows, rule)
	shown := wrap(p.box, "❯ ", "  ", p.cols-1)
	if len(shown) > mostBox {
		shown = []string{fmt.Sprintf("❯ [Pasted text +%d lines]", strings.Count(p.box, "\n"))}
	}
	row, col = len(rows)+len(shown)-1, columns(shown[len(shown)-1])
	if p.box == "" {
		col = 2
		shown[0] = "❯ "
		if p.Ghost != "" {
			shown[0] += faint + p.Ghost + normal
		}
	} else if strings.HasSuffix(p.box, " ") {
		col++ // wrap trims it
	}
	rows = append(append(rows, shown...), rule)
	status := "  ? for shortcuts"
	switch {
	case p.hint != "":
		status = "  " + p.hint
	case len(p.queue) > 0:
		status = fmt.Sprintf("  %d queued · esc to interrupt", len(p.queue))
	case p.busy():
		status = "  esc to interrupt"
	}
	return append(rows, faint+status+normal), row, col, true
}
