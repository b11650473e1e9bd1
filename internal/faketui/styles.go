package faketui

import (
	"fmt"
	"strings"
)

// inkPainter draws as Ink does: see [Ink].
type inkPainter struct {
	*performance
	printed int // pieces that are above
	drawn   int // rows that are drawn again with each frame
	at      int // the row of them that the cursor is in
	tall    bool
}

func (k *inkPainter) begin() { k.out.put(brackets, hideCursor) }

func (k *inkPainter) frame() {
	rows, row, col, _ := k.boxed()
	above := k.streamed()
	rows, row = append(above, rows...), row+len(above)
	if len(rows) >= k.rows || k.tall {
		k.wipe()
	}
	k.tall = len(rows) >= k.rows
	k.erase()
	for _, line := range k.transcript(k.printed) {
		k.out.put(line, "\r\n")
	}
	k.printed = len(k.said)
	k.out.put(strings.Join(rows, "\r\n"))
	k.drawn, k.at = len(rows), min(row, len(rows)-1)
	if up := k.drawn - 1 - k.at; up > 0 {
		k.out.put(fmt.Sprintf("\x1b[%dA", up))
	}
	k.out.put(fmt.Sprintf("\x1b[%dG", col+1))
}

// erase takes away what the last frame has drawn, from its last row up.
func (k *inkPainter) erase() {
	if down := k.drawn - 1 - k.at; down > 0 {
		k.out.put(fmt.Sprintf("\x1b[%dB", down))
	}
	for i := range k.drawn {
		k.out.put(eraseLine)
		if i < k.drawn-1 {
			k.out.put("\x1b[1A")
		}
	}
	if k.drawn > 0 {
		k.out.put("\x1b[G")
	}
	k.drawn, k.at = 0, 0
}

// wipe takes away everything, history too, so that all is printed again.
func (k *inkPainter) wipe() {
	k.out.put("\x1b[2J\x1b[3J\x1b[H")
	k.printed, k.drawn, k.at = 0, 0, 0
}

func (k *inkPainter) resized() { k.wipe() }
func (k *inkPainter) cleared() { k.wipe() }

func (k *inkPainter) finish() {
	k.erase()
	for _, line := range k.transcript(k.printed) {
		k.out.put(line, "\r\n")
	}
	k.out.put(noBrackets, showCursor, "Bye.\r\n")
	k.out.flush()
}

// alternatePainter draws on the alternate screen: see [Alternate].
type alternatePainter struct {
	*performance
	shown []string // what the rows of the screen show
}

func (a *alternatePainter) begin() {
	a.out.put("\x1b[?1049h\x1b[2J\x1b[H", brackets, "\x1b[?1004h")
	a.resized()
}

func (a *alternatePainter) resized() {
	a.out.put("\x1b[2J")
	a.shown = make([]string, a.rows)
}

func (a *alternatePainter) cleared() {}

func (a *alternatePainter) frame() {
	box, row, col, input := a.boxed()
	box = box[max(0, len(box)-a.rows):]
	body := append(a.transcript(0), a.streamed()...)
	room := a.rows - len(box)
	body = body[max(0, len(body)-room):]
	screen := make([]string, a.rows)
	copy(screen, body)
	copy(screen[room:], box)
	a.out.put("\x1b[?2026h", hideCursor)
	for i, line := range screen {
		if line != a.shown[i] {
			a.out.put(goTo(i, 0), "\x1b[K", line)
		}
	}
	a.shown = screen
	if input {
		a.out.put(goTo(room+row, col), showCursor)
	}
	a.out.put("\x1b[?2026l")
}

func (a *alternatePainter) finish() {
	a.out.put("\x1b[?1004l", noBrackets, showCursor, "\x1b[?1049lBye.\r\n")
	a.out.flush()
}

// inlinePainter inserts lines above a box on the main screen: see [Inline].
type inlinePainter struct {
	*performance
	top, high int      // of the box
	printed   int      // pieces that are above
	streaming int      // rows of the streamed answer that are above
	shown     []string // rows of the box
}

func (n *inlinePainter) begin() { n.out.put(brackets) }

func (n *inlinePainter) frame() {
	n.insert(n.fresh())
	rows, row, col, input := n.boxed()
	if live := n.streamed(); len(live) > n.streaming {
		rows, row = append(live[n.streaming:len(live)-1:len(live)-1], rows...), row+len(live)-1-n.streaming
	}
	rows = rows[max(0, len(rows)-n.rows+1):]
	n.height(len(rows))
	n.out.put(hideCursor)
	for i, line := range rows {
		if i >= len(n.shown) || line != n.shown[i] {
			n.out.put(goTo(n.top+i, 0), eraseLine, line)
		}
	}
	n.shown = rows
	n.out.put(goTo(n.top+row, col))
	if input {
		n.out.put(showCursor)
	}
}

// fresh are the rows that are finished and not yet above.
func (n *inlinePainter) fresh() []string {
	var rows []string
	for ; n.printed < len(n.said); n.printed++ {
		lines := n.said[n.printed].lines(n.cols)
		if n.said[n.printed].kind == agent {
			lines = lines[min(n.streaming, len(lines)):]
			n.streaming = 0
		}
		rows = append(rows, lines...)
	}
	// All but the last row of what is streamed will not change any more.
	if live := n.streamed(); len(live)-2 > n.streaming {
		rows = append(rows, live[n.streaming:len(live)-2]...)
		n.streaming = len(live) - 2
	}
	return rows
}

// insert puts rows above the box: first it moves the box down, then it writes
// them below what is above, which scrolls away when there is no more room.
func (n *inlinePainter) insert(rows []string) {
	if len(rows) == 0 {
		return
	}
	below := n.top // where the next row goes
	if down := min(len(rows), n.rows-n.top-n.high); down > 0 {
		n.out.put(fmt.Sprintf("\x1b[%d;%dr", n.top+1, n.rows), goTo(n.top, 0), strings.Repeat("\x1bM", down), "\x1b[r")
		n.top += down
	}
	n.out.put(fmt.Sprintf("\x1b[1;%dr", max(n.top, 1)), goTo(max(below-1, 0), 0))
	for i, row := range rows {
		if below+i > 0 {
			n.out.put("\r\n")
		}
		n.out.put(eraseLine, row)
	}
	n.out.put("\x1b[r")
}

// height makes room for a box of another height.
func (n *inlinePainter) height(rows int) {
	if rows == n.high {
		return
	}
	if n.high > 0 {
		n.out.put(goTo(n.top, 0), eraseBelow)
	}
	if up := n.top + rows - n.rows; up > 0 {
		n.out.put(goTo(n.rows-1, 0), strings.Repeat("\n", up))
		n.top -= up
	}
	n.high, n.shown = rows, nil
}

func (n *inlinePainter) resized() {
	n.top = max(0, min(n.top, n.rows-n.high))
	n.out.put("\x1b[r", goTo(n.top, 0), eraseBelow)
	n.shown = nil
	n.streaming = min(n.streaming, max(0, len(n.streamed())-2))
}

func (n *inlinePainter) cleared() {
	n.out.put("\x1b[r\x1b[2J\x1b[3J\x1b[H")
	n.top, n.high, n.printed, n.streaming, n.shown = 0, 0, 0, 0, nil
}

func (n *inlinePainter) finish() {
	n.insert(n.fresh())
	n.out.put(goTo(n.top, 0), eraseBelow, noBrackets, showCursor, "Bye.\r\n")
	n.out.flush()
}

// plainPainter prints lines after a prompt: see [Plain].
type plainPainter struct {
	*performance
	printed int
	shown   string // of the answer that is streamed
	box     string // what is shown of the input
	prompt  bool   // the prompt is there
	spun    bool
}

const plainPrompt = "> "

func (l *plainPainter) begin() { l.out.put(brackets) }

func (l *plainPainter) frame() {
	if l.spun {
		l.out.put("\r", eraseLine)
		l.spun = false
	}
	for ; l.printed < len(l.said); l.printed++ {
		switch s := l.said[l.printed]; s.kind {
		case user:
			l.edit(s.text)
			l.out.put("\r\n")
			l.prompt, l.box = false, ""
		case agent:
			l.out.put(crlf(strings.TrimPrefix(s.text, l.shown)), "\r\n")
			l.shown = ""
		default:
			l.out.put(crlf(s.text), "\r\n")
		}
	}
	if live := strings.TrimRight(l.live, " \n"); live != l.shown && strings.HasPrefix(live, l.shown) {
		l.out.put(crlf(strings.TrimPrefix(live, l.shown)))
		l.shown = live
	}
	switch {
	case l.spin > 0:
		l.out.put(fmt.Sprintf("\r%c thinking", `|/-\`[l.spin%4]))
		l.spun = true
	case l.asked != nil && !l.prompt:
		l.out.put(l.asked.Text, " [1-", fmt.Sprint(len(l.asked.Choices)), "] ")
		l.prompt = true
	case !l.busy():
		l.edit(l.performance.box)
	}
}

// edit shows the prompt with what is in the box.
func (l *plainPainter) edit(box string) {
	if !l.prompt {
		l.out.put(plainPrompt)
		l.prompt, l.box = true, ""
	}
	switch added, longer := strings.CutPrefix(box, l.box); {
	case longer:
		l.out.put(crlf(added))
	default:
		l.out.put("\r", eraseLine, plainPrompt, crlf(box))
	}
	l.box = box
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func (l *plainPainter) resized() {}
func (l *plainPainter) cleared() {
	l.out.put("\x1b[H\x1b[2J")
	l.printed, l.shown, l.prompt = 0, "", false
}

func (l *plainPainter) finish() {
	l.out.put("\r\n", noBrackets)
	l.out.flush()
}
