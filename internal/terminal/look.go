package terminal

import (
	"strings"
	"time"
)

// page is what there is to read: what has scrolled since the last look, and what
// the screen shows.
func (t *tracker) page(now time.Time) []line {
	s := t.screen()
	var page []line
	for _, p := range paragraphs(t.emu.scrolled(), s) {
		p.cursor = p.cursor && !t.leaving
		page = append(page, line{paragraph: p, since: now})
	}
	return page
}

// which lines are taken for finished.
type which int

const (
	ripeLines  which = iota // those that have stood for long enough
	otherLines              // all but that of the cursor
	allLines
)

// look compares the page with that of the last look, and appends the lines that
// are finished.
func (t *tracker) look(now time.Time, which which, done []Line) []Line {
	if s := t.screen(); s.drawing && which == ripeLines && now.Sub(t.looked) < frameWait {
		return done
	}
	page := t.page(now)
	vanished, missed := t.follow(page)
	t.recognise(page, vanished, now)
	for i, l := range missed {
		if t.doc.has(l.text) && l.rewrites > 0 {
			continue
		}
		done = append(done, Line{Text: l.text, Painted: true, Blank: l.blank, Aside: l.rewrites > 1, More: i+1 < len(missed) && missed[i+1].block == l.block})
		t.doc.add(l.text, l.reported, l.reported == nil)
	}
	t.shown, t.looked = page, now
	for i := range page {
		l := &page[i]
		if l.reported != nil && l.seen == 0 || l.letters() == "" {
			continue
		}
		if l.gone || which == allLines || which == otherLines && !l.cursor || which == ripeLines && t.finished(i, now) {
			done = t.report(i, done)
		}
	}
	// What has scrolled is gone for good.
	for len(t.shown) > 0 && t.shown[0].gone {
		t.shown = t.shown[1:]
	}
	return done
}

// letters is what the line says: nothing for a rule or an empty prompt.
func (l *line) letters() string {
	if l.seen > 0 {
		return letters(l.text[min(l.seen, len(l.text)):])
	}
	return letters(indentOf(l.text).text)
}

// follow finds the lines of the last page in the new one. It returns the letters of
// what was reported and is not there any more; and the lines that were not reported and are
// not there: those above lines that have moved up, which the program has scrolled
// away itself, and those that have stood for long enough to be read, and used to
// change before.
func (t *tracker) follow(page []line) (vanished string, missed []line) {
	old := t.shown
	pairs := common(len(page), len(old), func(i, j int) bool { return page[i].text == old[j].text })
	stays := make([]bool, len(old))
	for _, j := range pairs {
		if j >= 0 {
			stays[j] = true
		}
	}
	for j, l := range old {
		if !stays[j] && l.reported != nil {
			vanished += letters(l.text)
		}
	}
	next := 0 // of the old lines
	for i := 0; i < len(page); {
		if j := pairs[i]; j >= 0 {
			page[i].keep(old[j])
			if i == 0 { // what stood above has scrolled away
				page[0].blank = max(page[0].blank, old[j].blank)
			}
			i, next = i+1, j+1
			continue
		}
		end, until := i, len(old)
		for end < len(page) && pairs[end] < 0 {
			end++
		}
		if end < len(page) {
			until = pairs[end]
		}
		for ; i < end; i++ {
			if next < until {
				stays[next] = page[i].change(old[next])
				next++
			}
		}
	}
	return vanished, t.missed(stays, movedUp(page, old, pairs))
}

// missed returns the lines of the last page that are not on the new one and should
// have been reported. Instead of what it was, reported is then the line above.
func (t *tracker) missed(stays, scrolled []bool) (missed []line) {
	var above *reported
	for j, l := range t.shown {
		if l.reported != nil {
			above = l.reported
			continue
		}
		if !stays[j] && !l.cursor && l.letters() != "" && (scrolled[j] || t.looked.Sub(l.since) >= stableFor) {
			l.reported = above
			missed = append(missed, l)
		}
	}
	return missed
}

// movedUp says of each old line whether it has moved up, or the next one that is
// still there has.
func movedUp(page, old []line, pairs []int) []bool {
	moved := make([]bool, len(old))
	at := make(map[int]int, len(pairs)) // old lines on the page
	for i, j := range pairs {
		if j >= 0 {
			at[j] = i
		}
	}
	up := false
	for j := len(old) - 1; j >= 0; j-- {
		if i, stays := at[j]; stays {
			up = page[i].row < old[j].row
		}
		moved[j] = up
	}
	return moved
}

// keep takes over what is known of a line whose text has not changed.
func (l *line) keep(old line) {
	l.since, l.rewrites, l.reported, l.seen = old.since, old.rewrites, old.reported, old.seen
}

// change takes over what is known of a line that stood in this place: it has
// grown, or it was rewritten, or it is another one, which it returns as false.
func (l *line) change(old line) bool {
	switch {
	case old.text != "" && strings.HasPrefix(l.text, old.text):
		l.rewrites = old.rewrites
		if old.reported != nil {
			l.reported, l.seen = old.reported, len(old.text)
			if old.seen > 0 {
				l.seen = old.seen
			}
		}
	case similar(l.text, old.text):
		if l.rewrites = old.rewrites + 1; l.since.Sub(old.since) >= slowRewrite {
			l.rewrites = 0 // it stood long enough for a text of its own
		}
	default:
		return false
	}
	return true
}

// similar reports whether two lines differ only in a part, as those of a clock or
// a spinner do.
func similar(a, b string) bool {
	n := min(len(a), len(b))
	front := 0
	for front < n && a[front] == b[front] {
		front++
	}
	back := 0
	for back < n-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	return (front+back)*2 >= max(len(a), len(b))
}

// recognise finds the lines of the page that were reported before, in the runs
// between those that are known. A line that is a part of what has vanished was
// wrapped anew.
func (t *tracker) recognise(page []line, vanished string, now time.Time) {
	var before *reported
	for i := 0; i < len(page); i++ {
		if page[i].reported != nil {
			before = page[i].reported
			continue
		}
		end := i
		var texts []string
		for end < len(page) && page[end].reported == nil {
			texts = append(texts, page[end].text)
			end++
		}
		var after *reported
		if end < len(page) {
			after = page[end].reported
		}
		for k, found := range t.doc.recognise(texts, before, after) {
			page[i+k].reported = found
			if found == nil && t.rewrapped(texts[k], vanished, now) {
				page[i+k].reported = t.doc.add(texts[k], lastReported(page[:i+k], before), before == nil && after == nil)
			}
		}
		i = end - 1
	}
}

// rewrapped reports whether a text was reported in other lines: it is a part of those
// that stood there, or the terminal has another size and it is a part of any, or
// what is left of one whose rows the terminal has cut off.
func (t *tracker) rewrapped(text, vanished string, now time.Time) bool {
	found := letters(text)
	if found != "" && strings.Contains(vanished, found) {
		return true
	}
	return now.Sub(t.resized) < rewrapFor && (t.doc.contains(found) || t.doc.cutOff(found))
}

// lastReported is the last line of the page that was reported.
func lastReported(page []line, otherwise *reported) *reported {
	for i := len(page) - 1; i >= 0; i-- {
		if page[i].reported != nil {
			return page[i].reported
		}
	}
	return otherwise
}

// ripe is how long the line's text must stand until it is finished.
func (l *line) ripe() time.Duration {
	ripe := stableFor * time.Duration(min(1<<min(l.rewrites, 4), mostStable))
	if l.cursor {
		ripe *= cursorRow
	}
	return ripe
}

// finished reports whether a line has stood long enough. It waits, for a while,
// for the lines below it in its block, which may be still written.
func (t *tracker) finished(i int, now time.Time) bool {
	l := &t.shown[i]
	age := now.Sub(l.since)
	if age < l.ripe() {
		return false
	}
	if age >= l.ripe()+blockWait {
		return true
	}
	for j := i + 1; j < len(t.shown) && t.shown[j].block == l.block; j++ {
		if below := &t.shown[j]; below.reported == nil && !below.cursor && now.Sub(below.since) < below.ripe() {
			return false
		}
	}
	return true
}

// report appends a line of the page, as one that is finished.
func (t *tracker) report(i int, done []Line) []Line {
	l := &t.shown[i]
	out := Line{Text: l.text, Seen: l.seen, Painted: true, Blank: l.blank, Aside: l.rewrites > 1 || t.belowInput(i), Lost: t.lost}
	t.lost = false
	for j := i + 1; j < len(t.shown) && t.shown[j].block == l.block; j++ {
		if t.shown[j].reported == nil {
			out.More = true
		}
	}
	if l.reported != nil {
		t.doc.grow(l.reported, l.text)
	} else {
		last := lastReported(t.shown[:i], nil)
		l.reported = t.doc.add(l.text, last, last == nil && lastReported(t.shown[i:], nil) == nil)
	}
	l.seen = 0
	return append(done, out)
}

// belowInput reports whether a line stands below that of the cursor, and that is
// an input with a prompt.
func (t *tracker) belowInput(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if l := &t.shown[j]; l.cursor {
			return indentOf(l.text).mark
		}
	}
	return false
}
