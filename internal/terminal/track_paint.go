package terminal

import (
	"slices"
	"time"
)

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
