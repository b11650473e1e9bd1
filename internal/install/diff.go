package install

import (
	"fmt"
	"strings"
)

// around is how many lines around a change are shown.
const around = 3

// diff shows what happens to a file as a unified diff. Our changes are few
// insertions and deletions of whole lines, so a plain comparison is enough.
func diff(f *File) string {
	from, to := f.Path, f.Path
	before, after := lines(f.Before), lines(f.After)
	if !f.Existed {
		from = "/dev/null"
	}
	if f.Remove {
		to, after = "/dev/null", nil
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for _, h := range hunks(edits(before, after)) {
		h.print(&out)
	}
	return out.String()
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

// edit is one line of a diff.
type edit struct {
	sign byte // ' ', '-' or '+'
	line string
	a, b int // index in the old and the new text
}

// edits compares two texts by their longest common subsequence, or, if they are
// so long that this is slow, by their common beginning and end.
func edits(a, b []string) []edit {
	start := 0
	for start < len(a) && start < len(b) && sameLine(a[start], b[start]) {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && sameLine(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	var out []edit
	for i := range start {
		out = append(out, edit{' ', a[i], i, i})
	}
	out = append(out, middle(a[start:len(a)-end], b[start:len(b)-end], start)...)
	for i := end; i > 0; i-- {
		out = append(out, edit{' ', a[len(a)-i], len(a) - i, len(b) - i})
	}
	return out
}

func sameLine(a, b string) bool { return strings.TrimSuffix(a, "\n") == strings.TrimSuffix(b, "\n") }

// tableLimit bounds the table that middle fills.
const tableLimit = 4 << 20

func middle(a, b []string, offset int) []edit {
	var out []edit
	i, j := 0, 0
	if len(a)*len(b) <= tableLimit {
		common := make([][]int32, len(a)+1)
		for k := range common {
			common[k] = make([]int32, len(b)+1)
		}
		for x := len(a) - 1; x >= 0; x-- {
			for y := len(b) - 1; y >= 0; y-- {
				if sameLine(a[x], b[y]) {
					common[x][y] = common[x+1][y+1] + 1
				} else {
					common[x][y] = max(common[x+1][y], common[x][y+1])
				}
			}
		}
		for i < len(a) && j < len(b) {
			switch {
			case sameLine(a[i], b[j]):
				out = append(out, edit{' ', a[i], offset + i, offset + j})
				i++
				j++
			case common[i+1][j] >= common[i][j+1]:
				out = append(out, edit{'-', a[i], offset + i, offset + j})
				i++
			default:
				out = append(out, edit{'+', b[j], offset + i, offset + j})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		out = append(out, edit{'-', a[i], offset + i, offset + j})
	}
	for ; j < len(b); j++ {
		out = append(out, edit{'+', b[j], offset + i, offset + j})
	}
	return out
}

// hunk is a run of changes with the lines around it.
type hunk []edit

func hunks(all []edit) []hunk {
	var out []hunk
	last := -1 // index behind the last line that is shown
	for i, e := range all {
		if e.sign == ' ' {
			continue
		}
		from := max(0, i-around, last)
		to := min(len(all), i+around+1)
		if last < 0 || i-around > last {
			out = append(out, nil)
		}
		if last >= to {
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], all[from:to]...)
		last = to
	}
	return out
}

func (h hunk) print(out *strings.Builder) {
	var olds, news int
	for _, e := range h {
		if e.sign != '+' {
			olds++
		}
		if e.sign != '-' {
			news++
		}
	}
	first := func(index, n int) int {
		if n == 0 {
			return index
		}
		return index + 1
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", first(h[0].a, olds), olds, first(h[0].b, news), news)
	for _, e := range h {
		fmt.Fprintf(out, "%c%s\n", e.sign, strings.TrimRight(e.line, "\r\n"))
	}
}
