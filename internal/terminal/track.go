package terminal

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"
)

const (
	breath      = 5 * time.Millisecond    // the greatest pause in output that comes without one
	lookEvery   = 50 * time.Millisecond   // between two looks at a screen that is painted
	stableFor   = 400 * time.Millisecond  // after that, a painted line is finished
	mostStable  = 16                      // times as long for one that is rewritten again and again
	slowRewrite = 1500 * time.Millisecond // between two rewrites that are not a clock's
	cursorRow   = 4                       // times as long for the line that the cursor is in
	blockWait   = 2 * time.Second         // how long a line waits for those below it
	frameWait   = 150 * time.Millisecond  // how long a frame may take that the program has announced
	plainAfter  = 250 * time.Millisecond  // a pause after which a painted screen may be plain again
	clearEvery  = time.Second             // between two clearings that are not an animation
	rewrapFor   = 2 * time.Second         // how long a program may take to wrap its text anew

	pendingMost = 256 << 10 // bytes of plain output that the emulator may be behind
	pendingKeep = 64 << 10
	pieceMost   = 16 << 10 // bytes that are painted between two checks
	scrollMost  = 256      // rows that may scroll between two looks
	mostColumns = 1000     // of a screen
	mostCells   = 150_000  // a screen of 4K in tiny letters has less

	leavesMost = 100 // screens that are looked at before they go, of output at once,
	leaveBytes = 128 // and one more for so much of it
)

// tracker makes finished lines of output. Plain output it reads line by line;
// while the program paints, it looks at the screen. The package comment has the
// rule. One goroutine may use it at a time.
type tracker struct {
	cols, rows int
	typed      *typed

	lines    Lines // of plain output; kept going while the program paints
	painting bool
	plain    int // lines since the last painting

	emu     emulator
	closed  bool // it was given back
	filter  filter
	pending []byte // plain output that the emulator has not seen
	scanned []Line // of the last piece; its room is used again
	printed recent
	doc     document
	view    Screen // what the last look saw
	fresh   bool   // nothing was drawn since
	wrote   time.Time
	lost    bool      // output is missing before the next painted line
	leaving bool      // the screen is about to be erased
	leaves  int       // how many of those may be looked at
	frames  int       // that were announced since output was taken last
	breath  bool      // what is written now was written without a pause
	began   time.Time // when the first part of the unfinished line was printed
	plainAt time.Time // when plain output last said something

	shown   []line // the page at the last look
	looked  time.Time
	cleared time.Time
	before  []string  // what was on the screen then
	resized time.Time // last; the page may be wrapped anew
}

// line is a paragraph of the page, and what is known of it.
type line struct {
	paragraph
	since    time.Time // when it got its text
	rewrites int
	reported *reported // nil: it was not reported
	seen     int       // bytes of the text that were reported, when it has grown since
}

// feed takes output and appends the lines that it finishes.
func (t *tracker) feed(p []byte, now time.Time, done []Line) []Line {
	t.breath = now.Sub(t.wrote) < breath
	t.wrote, t.frames = now, 0
	before := t.lines.changes
	defer func() {
		if !t.painting && t.lines.changes != before {
			t.plainAt = now
		}
	}()
	open, had := len(t.lines.cells) > 0, len(done)
	t.leaves = min(t.leaves+len(p)/leaveBytes, leavesMost)
	for len(p) > 0 {
		piece := p
		if t.painting && len(piece) > pieceMost {
			piece = piece[:pieceMost]
		}
		rest, lines, op := t.lines.scan(piece, t.scanned[:0])
		t.scanned = lines
		n := len(piece) - len(rest)
		t.draw(piece[:n])
		done = t.take(lines, done)
		if op != opText {
			done = t.operate(op, now, done)
			t.draw(rest[:1])
			done = t.take(t.lines.step(rest[0], nil), done)
			n++
		}
		p = p[n:]
		if t.painting && t.emu.scrolledMore(scrollMost) {
			done = t.look(now, ripeLines, done)
		}
	}
	if t.painting {
		done = t.painted(now, done)
	} else {
		t.pieces(open, now, done[had:])
	}
	return done
}

// pieces marks a line whose beginning was printed some time before its end. open:
// a line was unfinished before this output.
func (t *tracker) pieces(open bool, now time.Time, done []Line) {
	if open && len(done) > 0 {
		done[0].Slow = now.Sub(t.began) > breath
	}
	if !open || len(done) > 0 {
		t.began = now
	}
}

// take keeps the lines of plain output. While the program paints they are what
// the screen will show.
func (t *tracker) take(lines, done []Line) []Line {
	if t.painting {
		t.plain += len(lines)
		return done
	}
	for _, l := range lines {
		if l.Text != "" {
			t.printed.add(l.Text)
		}
	}
	return append(done, lines...)
}

// recent is the last texts that were printed. They become a part of the document
// when the program begins to paint: of a flood, most never do.
type recent struct {
	texts []string
	next  int // where the oldest is, once there are as many as are compared
}

func (r *recent) add(text string) {
	if len(r.texts) < mostCompared {
		r.texts = append(r.texts, text)
		return
	}
	r.texts[r.next] = text
	r.next = (r.next + 1) % mostCompared
}

// tell puts the texts at the end of the document.
func (r *recent) tell(d *document) {
	for i := range r.texts {
		d.add(r.texts[(r.next+i)%len(r.texts)], nil, true)
	}
	r.texts, r.next = nil, 0
}

// draw hands output to the emulator: at once while the program paints, else when
// somebody looks. Of plain output it needs only the end.
func (t *tracker) draw(p []byte) {
	if len(p) == 0 {
		return
	}
	t.fresh = false
	t.pending = append(t.pending, t.filter.take(p)...)
	if t.painting {
		t.flush()
	} else if len(t.pending) > pendingMost {
		t.skip()
	}
}

// skip leaves out plain output that has scrolled from the screen by now.
func (t *tracker) skip() {
	keep := max(pendingKeep, 4*t.cols*t.rows)
	if keep+pendingKeep > len(t.pending) { // a very large screen
		t.flush()
		return
	}
	tail := t.pending[len(t.pending)-keep:]
	begin := bytes.IndexByte(tail, '\n')
	if begin < 0 || bytes.Count(tail, []byte{'\n'}) <= t.rows {
		begin = 64 // a line longer than the screen; no sequence is as long as that
		if bytes.IndexByte(tail[:begin], 0x1b) >= 0 {
			t.flush()
			return
		}
	}
	for !utf8.RuneStart(tail[begin]) {
		begin++
	}
	t.pending = append(append(t.pending[:0], "\x1b[0m"...), tail[begin:]...)
}

// skipScrolled leaves out plain output that has scrolled from the screen by now,
// if it has line ends enough to tell.
func (t *tracker) skipScrolled() {
	if len(t.pending) < pieceMost {
		return
	}
	begin := len(t.pending)
	for range 2*t.rows + 1 { // by so many, the cursor stood wherever it did
		if begin = bytes.LastIndexByte(t.pending[:begin], '\n'); begin < 0 {
			return
		}
	}
	tail := t.pending[begin:]
	t.pending = append(append(t.pending[:0], "\x18\x1b[0m"...), tail...)
}

// flush makes the emulator see all output.
func (t *tracker) flush() {
	if t.emu == nil {
		t.emu = newEmulator(t.cols, t.rows)
	}
	if !t.painting {
		t.skipScrolled()
	}
	for p := t.pending; len(p) > 0; {
		n := min(len(p), pieceMost)
		t.emu.write(p[:n])
		p = p[n:]
		if !t.painting {
			t.emu.forget() // those lines were reported when they ended
		}
	}
	t.pending = t.pending[:0]
	if cap(t.pending) > pendingMost*2 {
		t.pending = nil
	}
}

// end returns what is on the screen and was not reported.
func (t *tracker) end(now time.Time) []Line {
	if !t.painting {
		if l, ok := t.lines.end(); ok {
			return []Line{l}
		}
		return nil
	}
	return t.look(now, allLines, nil)
}

// lose says that output is missing here. On a screen that is painted, what comes
// next mends it.
func (t *tracker) lose() {
	t.filter.lose()
	t.pending = append(t.pending, "\x18\x1b[0m"...) // ends a sequence that was cut off
	t.fresh = false
	if t.painting {
		t.lines.reset()
		t.lines.esc.lose()
		t.lost = true
		return
	}
	t.lines.Lose()
}

// resize follows the terminal's size, within bounds: a size is only a number, and
// a screen of it takes memory.
func (t *tracker) resize(cols, rows int, now time.Time) {
	cols = min(max(cols, 1), mostColumns)
	rows = min(max(rows, 1), mostCells/cols)
	if t.cols == cols && t.rows == rows {
		return
	}
	t.flush()
	t.cols, t.rows = cols, rows
	t.lines.width = cols
	t.emu.resize(cols, rows)
	t.fresh = false
	if !t.wrote.IsZero() {
		t.resized = now
	}
}

// screen is what the program shows now.
func (t *tracker) screen() Screen {
	if t.fresh || t.closed {
		return t.view
	}
	t.flush()
	s := t.emu.screen()
	s.Changed = t.view.Changed
	if s.Changed.IsZero() || !s.same(t.view) {
		s.Changed = t.wrote
	}
	t.view, t.fresh = s, true
	return s
}

// changed is when the screen last said something else.
func (t *tracker) changed() time.Time {
	if t.view.Changed.After(t.plainAt) {
		return t.view.Changed
	}
	return t.plainAt
}

func (t *tracker) close() {
	t.closed = true
	if t.emu != nil {
		t.emu.close()
		t.emu = nil
	}
}

// Here is when the screen is looked at: from the first time that the program draws on
// it until it prints line after line again.

// operate prepares for an operation on the screen.
func (t *tracker) operate(op operation, now time.Time, done []Line) []Line {
	switch {
	case op == opFrame && t.painting:
		return t.frame(now, done)
	case op == opMode, op == opFrame:
		t.flush()
		return done
	case op == opErase:
		if !t.painting {
			return done
		}
		if !t.emu.home() {
			return done
		}
		op = opClear
	}
	if !t.painting {
		t.paint(now)
	} else if op != opPaint {
		done = t.leave(op, now, done)
	}
	t.plain = 0
	if op == opSwitch {
		t.shown = nil
	}
	return done
}

// paint begins to look at the screen. What it shows by now was reported.
func (t *tracker) paint(now time.Time) {
	t.flush()
	t.painting = true
	t.printed.tell(&t.doc)
	if now.Sub(t.looked) >= lookEvery {
		t.leaves = leavesMost
	}
	page := t.page(now)
	texts := make([]string, len(page))
	for i := range page {
		texts[i] = page[i].text
	}
	found := t.doc.recognise(texts, nil, nil)
	open, _ := t.lines.open()
	var last *reported
	for i := range page {
		page[i].reported = found[i]
		switch {
		case found[i] != nil:
		case page[i].letters() == "":
			continue
		case page[i].cursor && open.Seen < len(open.Text):
			page[i].seen = min(open.Seen, len(page[i].text))
			continue
		default:
			page[i].reported = t.doc.add(page[i].text, last, true)
		}
		last = page[i].reported
	}
	t.shown, t.looked = page, now
}

// frame looks at the frames that the program has announced, as often as they are
// looked at when they come one by one: a busy machine brings many at once, and what
// the program has scrolled away meanwhile is on none of the later ones.
func (t *tracker) frame(now time.Time, done []Line) []Line {
	t.flush()
	if t.frames++; t.frames%2 != 0 || t.leaves == 0 {
		return done
	}
	t.leaves--
	return t.look(now, ripeLines, done)
}

// leave looks at a screen that is about to be erased or left. What was shown for a
// moment only, as the frame of an animation, was not said. But of output that
// comes without a pause, such as a recording, it cannot be known how long it was
// meant to be seen.
func (t *tracker) leave(op operation, now time.Time, done []Line) []Line {
	if now.Sub(t.looked) >= lookEvery {
		t.leaves = leavesMost
	}
	if t.leaves == 0 { // it was too short to be read, and would keep us busy
		return done
	}
	t.leaves--
	texts := t.texts()
	animated := op == opClear && now.Sub(t.cleared) < clearEvery && alike(texts, t.before)
	if op == opClear {
		t.cleared, t.before = now, texts
	}
	t.leaving = true // the cursor has gone home already
	defer func() { t.leaving = false }()
	if op == opClear && (animated || !t.breath) {
		return t.look(now, ripeLines, done)
	}
	return t.look(now, allLines, done)
}

func (t *tracker) texts() []string {
	var texts []string
	for _, p := range paragraphs(nil, t.emu.screen()) {
		texts = append(texts, p.text)
	}
	return texts
}

// alike reports whether half of the lines are the same.
func alike(a, b []string) bool {
	same := 0
	for _, text := range a {
		if slices.Contains(b, text) {
			same++
		}
	}
	return same*2 >= len(a)
}

// painted looks at the screen while output comes, if it is time to, and finds out
// when the program has gone over to plain output.
func (t *tracker) painted(now time.Time, done []Line) []Line {
	if t.plain > 2*t.rows {
		done = t.look(now, otherLines, done)
		t.painting = false
		return done
	}
	if now.Sub(t.looked) >= lookEvery {
		done = t.look(now, ripeLines, done)
	}
	return done
}

// rest is called when output pauses. It returns lines that are finished by now,
// and when to call again; zero is not before there is output.
func (t *tracker) rest(now time.Time) (done []Line, again time.Duration) {
	if !t.painting {
		return nil, 0
	}
	if wait := lookEvery - now.Sub(t.looked); wait > 0 {
		return nil, wait
	}
	done = t.look(now, ripeLines, nil)
	next := time.Duration(0)
	for i := range t.shown {
		l := &t.shown[i]
		if l.reported != nil && l.seen == 0 || l.letters() == "" {
			continue
		}
		wait := l.ripe() - now.Sub(l.since)
		if wait <= 0 { // it waits for those below it
			wait += blockWait
		}
		if next == 0 || wait < next {
			next = max(wait, lookEvery)
		}
	}
	if next > 0 {
		return done, next
	}
	if quiet := now.Sub(t.wrote); quiet < plainAfter {
		return done, plainAfter - quiet
	}
	t.calm()
	return done, 0
}

// calm goes back to plain output, if the cursor stands below all text of the main
// screen: what comes next is printed there.
func (t *tracker) calm() {
	if s := t.view; s.Alternate || s.Row < s.used()-1 {
		return
	}
	row := t.view.At(t.view.Row).Text
	t.painting, t.plain = false, 0
	t.lines.resume(row, t.view.Col, len(t.shown) > 0 && t.shown[len(t.shown)-1].reported != nil)
}
