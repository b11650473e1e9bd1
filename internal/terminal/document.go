package terminal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// document is what was reported so far, in the order in which a reader of the
// screen would find it. It is how a repainted line is known again.
type document struct {
	lines []*reported
	first int // position of lines[0]
	size  int // bytes of text
}

// reported is a line that was reported.
type reported struct {
	text string
	at   int // its position; positions are consecutive
}

const (
	documentLines = 4000
	documentBytes = 2 << 20
	reportedBytes = 4 << 10 // of one line; lines are reported apart by their beginning
)

// cut is the part of a line by which it is known again.
func cut(text string) string {
	if len(text) > reportedBytes {
		text = text[:reportedBytes]
	}
	return strings.TrimRight(text, " ")
}

// add puts a line after one that is in the document, or at its end or start.
func (d *document) add(text string, after *reported, end bool) *reported {
	t := &reported{text: strings.Clone(cut(text))}
	i := len(d.lines)
	if !end {
		i = 0
		if after != nil {
			i = max(after.at-d.first+1, 0)
		}
	}
	d.lines = slices.Insert(d.lines, i, t)
	for j := i; j < len(d.lines); j++ {
		d.lines[j].at = d.first + j
	}
	d.size += len(t.text)
	if len(d.lines) > documentLines+documentLines/4 || d.size > documentBytes {
		d.forget()
	}
	return t
}

// grow gives a line that is in the document more text.
func (d *document) grow(t *reported, text string) {
	before := len(t.text)
	t.text = strings.Clone(cut(text))
	if i := t.at - d.first; i >= 0 && i < len(d.lines) && d.lines[i] == t {
		d.size += len(t.text) - before
	}
	if d.size > documentBytes {
		d.forget()
	}
}

// forget drops the oldest lines.
func (d *document) forget() {
	n := 0
	for len(d.lines)-n > documentLines || d.size > documentBytes*3/4 && n < len(d.lines) {
		d.size -= len(d.lines[n].text)
		n++
	}
	d.lines = append([]*reported(nil), d.lines[n:]...)
	d.first += n
}

// between returns the lines after one and before another; nil is the start and
// the end.
func (d *document) between(a, b *reported) []*reported {
	lo, hi := 0, len(d.lines)
	if a != nil {
		lo = min(max(a.at-d.first+1, 0), hi)
	}
	if b != nil {
		hi = max(min(b.at-d.first, hi), lo)
	}
	return d.lines[lo:hi]
}

const (
	mostCompared = 1000 // lines of the document that are looked at
	nearby       = 3    // lines that may have been dropped between two that are shown
)

// recognise finds lines of a page among those that were reported between a and b. The
// result has one element for each line, nil for one that is new. A line that
// stands alone, far from where it was reported, is new: somebody says it again.
func (d *document) recognise(texts []string, a, b *reported) []*reported {
	found := make([]*reported, len(texts))
	old := d.between(a, b)
	if len(old) > mostCompared {
		old = old[len(old)-mostCompared:]
	}
	if len(old) == 0 {
		return found
	}
	pairs := common(len(texts), len(old), func(i, j int) bool { return cut(texts[i]) == old[j].text })
	matched := 0
	for i, j := range pairs {
		if j >= 0 {
			found[i] = old[j]
			matched++
		}
	}
	if matched*2 >= len(texts) {
		return found
	}
	before, after := old[0].at-1, old[len(old)-1].at+1
	keep := make([]bool, len(texts))
	for i := range found {
		keep[i] = found[i] != nil && (near(found, i, -1, before) || near(found, i, 1, after))
	}
	for i := range found {
		if !keep[i] {
			found[i] = nil
		}
	}
	return found
}

// near reports whether the neighbour of a line, on the page, is also its
// neighbour in the document. edge is the position beside the page.
func near(found []*reported, i, step, edge int) bool {
	at := edge
	if j := i + step; j >= 0 && j < len(found) {
		if found[j] == nil {
			return false
		}
		at = found[j].at
	}
	distance := (at - found[i].at) * step
	return distance > 0 && distance <= nearby
}

// has reports whether a line was reported lately.
func (d *document) has(text string) bool {
	text = cut(text)
	return slices.ContainsFunc(d.lines[max(0, len(d.lines)-mostCompared):], func(t *reported) bool { return t.text == text })
}

// contains reports whether letters are a part of what was reported, however it was
// wrapped.
func (d *document) contains(want string) bool {
	if len(want) < 8 {
		return false
	}
	var all strings.Builder
	for _, t := range d.lines[max(0, len(d.lines)-mostCompared):] {
		all.WriteString(letters(t.text))
	}
	return strings.Contains(all.String(), want)
}

// cutOff reports whether letters are what is left of a line that was reported, after
// its rows have lost their ends.
func (d *document) cutOff(want string) bool {
	if len(want) < 8 {
		return false
	}
	for _, t := range d.lines[max(0, len(d.lines)-mostCompared):] {
		rest := want
		for _, r := range letters(t.text) {
			if next, n := utf8.DecodeRuneInString(rest); n > 0 && next == r {
				rest = rest[n:]
			}
		}
		if rest == "" {
			return true
		}
	}
	return false
}

// letters is the text without blanks and the marks around it.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || frame(r) || strings.ContainsRune("⏺●○❯›⎿└╰├✦✻✶◆◇■▪▶►⏵→»•…", r) {
			return -1
		}
		return r
	}, s)
}

// common finds a longest common subsequence of n and m things. For each of the n
// it says which of the m it is, or -1.
func common(n, m int, same func(i, j int) bool) []int {
	pairs := make([]int, n)
	for i := range pairs {
		pairs[i] = -1
	}
	lo, a, b := 0, n, m
	for lo < a && lo < b && same(lo, lo) {
		pairs[lo] = lo
		lo++
	}
	for a > lo && b > lo && same(a-1, b-1) {
		a, b = a-1, b-1
		pairs[a] = b
	}
	rows, cols := a-lo, b-lo
	if rows == 0 || cols == 0 {
		return pairs
	}
	// longest[i][j] is that of what follows lo+i and lo+j.
	longest := make([]uint16, (rows+1)*(cols+1))
	equal := make([]bool, rows*cols)
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			here := i*(cols+1) + j
			if same(lo+i, lo+j) {
				equal[i*cols+j] = true
				longest[here] = longest[here+cols+2] + 1
			} else {
				longest[here] = max(longest[here+1], longest[here+cols+1])
			}
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		here := i*(cols+1) + j
		switch {
		case equal[i*cols+j] && longest[here] == longest[here+cols+2]+1:
			pairs[lo+i] = lo + j
			i, j = i+1, j+1
		case longest[here+cols+1] >= longest[here+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
