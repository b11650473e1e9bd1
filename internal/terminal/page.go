package terminal

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// paragraph is one line of text as its author wrote it, put together from the
// rows that it was wrapped over.
type paragraph struct {
	text   string
	cursor bool // the cursor stands in it
	gone   bool // it has scrolled from the screen
	block  int  // paragraphs without a blank row between them have the same
	blank  int  // blank rows above
	row    int  // of its beginning, on the screen; below 0 it has scrolled
}

// margin is how many columns programs leave free at the right when they wrap.
const margin = 3

// paragraphs reads a page: rows that have scrolled from the screen, and those on
// it. The rule for a wrapped line is in the package comment.
func paragraphs(gone []Row, s Screen) []paragraph {
	var all []paragraph
	block, blank := 0, 0
	rows := inOrder(gone, s)
	at := func(i int) (Row, bool) {
		row := rows[i].withoutScrollbar(s.Width)
		if rows[i].gone || rows[i].y != s.Row {
			return row, false
		}
		row.Text = row.Solid // a suggestion there was not typed and not said
		return row, true
	}
	for i := 0; i < len(rows); i++ {
		row, cursor := at(i)
		y := rows[i].y
		if row.Text == "" {
			block++
			if !cursor {
				blank++
				continue
			}
		}
		p := paragraph{text: row.Text, cursor: cursor, block: block, blank: blank, row: y}
		blank = 0
		for i+1 < len(rows) {
			next, here := at(i + 1)
			border, more, ok := unwrapped(row, next, s.Width)
			if !ok {
				break
			}
			if border != "" {
				p.text = strings.TrimRight(strings.TrimSuffix(p.text, border), " ")
			}
			p.text, p.cursor, row = p.text+more, p.cursor || here, next
			i++
		}
		p.gone = rows[i].gone
		all = append(all, p)
	}
	return all
}

// placed is a row, and where it is.
type placed struct {
	Row
	y    int // on the screen; -1 of one that is gone
	gone bool
}

// inOrder puts rows that have scrolled before the row from which they went: a part of the screen
// may scroll below a title that stays.
func inOrder(gone []Row, s Screen) []placed {
	used := s.used()
	rows := make([]placed, 0, len(gone)+used)
	next := 0
	for y := range used {
		for next < len(gone) && (gone[next].top <= y || y == used-1) {
			rows = append(rows, placed{gone[next], -1, true})
			next++
		}
		rows = append(rows, placed{s.Rows[y], y, false})
	}
	return rows
}

// withoutScrollbar is the row without the piece of a scrollbar that some programs
// draw in the last columns. The right side of a box is none: the left one is alike.
func (r Row) withoutScrollbar(width int) Row {
	last, size := utf8.DecodeLastRuneInString(r.Text)
	if !strings.ContainsRune("┃│║█▐▌░▒▓╎┆", last) || ansi.StringWidth(r.Text) < width-1 {
		return r
	}
	text := strings.TrimRight(r.Text[:len(r.Text)-size], " ")
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	if len(text) == len(r.Text)-size || first == last {
		return r
	}
	r.Text, r.Solid, r.full = text, strings.TrimRight(strings.TrimSuffix(r.Solid, string(last)), " "), false
	return r
}

// unwrapped says whether the row b goes on with the line of a, and with which text;
// and which border, at the end of a, is none of its text.
func unwrapped(a, b Row, width int) (border, more string, ok bool) {
	if a.Text == "" || b.Text == "" {
		return "", "", false
	}
	last, _ := utf8.DecodeLastRuneInString(a.Text)
	if a.full && b.Text[0] != ' ' && !frame(last) {
		if first, _ := utf8.DecodeRuneInString(b.Text); !frame(first) {
			return "", b.Text, true
		}
	}
	pa, pb := indentOf(a.Text), indentOf(b.Text)
	if step := pb.column - pa.column; step < 0 || step > 1 { // some keep the blank that they broke the line at
		return "", "", false
	}
	if pb.mark || pa.borders != pb.borders || pa.text == "" || pb.text == "" {
		return "", "", false
	}
	room := width - margin
	text := pa.text
	if cut, closed := strings.CutSuffix(text, pa.border); closed && pa.border != "" {
		border = pa.border
		room = pa.column + ansi.StringWidth(cut) - margin
		text = strings.TrimRight(cut, " ")
		pb.text = strings.TrimRight(strings.TrimSuffix(pb.text, pa.border), " ")
	}
	word, _, _ := strings.Cut(pb.text, " ")
	if word == "" || pa.column+ansi.StringWidth(text)+1+ansi.StringWidth(word) <= room {
		return "", "", false
	}
	last, _ = utf8.DecodeLastRuneInString(text)
	if frame(last) || word[0] == '@' && !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != ',' {
		return "", "", false
	}
	return border, " " + pb.text, true
}

// frame reports whether a character is one that boxes, bars and pictures are made
// of: box drawing, block elements, Braille patterns.
func frame(r rune) bool { return r >= 0x2500 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff || r == '|' }

// indent is what stands before the text of a row.
type indent struct {
	column  int    // of the text
	borders int    // vertical bars
	border  string // the last of them
	mark    bool   // a list mark or a glyph
	text    string
}

// indentOf finds the text of a row after blanks, borders, and the marks that
// agents put before what they say.
func indentOf(s string) indent {
	var in indent
	for s != "" {
		r, w := utf8.DecodeRuneInString(s)
		switch {
		case r == ' ' || r == '\u00a0':
		case strings.ContainsRune("│┃║▎▌▏|", r):
			in.borders++
			in.border = s[:w]
			in.mark = false
		case strings.ContainsRune("⏺●○❯›⎿└╰├✦✻✶◆◇■▪▶►⏵→»•-*>+", r) && (len(s) == w || s[w] == ' ' || strings.HasPrefix(s[w:], "\u00a0")):
			in.mark = true
		default:
			if n := numbered(s); n > 0 {
				in.mark = true
				w = n
				break
			}
			in.text = s
			return in
		}
		in.column += ansi.StringWidth(s[:w])
		s = s[w:]
	}
	return in
}

// numbered is the length of a list number, as in "1. ", without its blank.
func numbered(s string) int {
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 || n+1 >= len(s) || s[n] != '.' && s[n] != ')' || s[n+1] != ' ' {
		return 0
	}
	return n + 1
}

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
