// Package diff compares two texts line by line.
package diff

import (
	"slices"
	"strconv"
	"strings"
)

// maxCells bounds the table by which lines are compared; beyond it everything
// that differs is one change.
const maxCells = 4 << 20

// Edit is one line of a comparison.
type Edit struct {
	Mark byte // '-' the old text has it, '+' the new one, ' ' both, '~' lines left out
	Line string
}

// Lines cuts a text into its lines. A last line without an end is a line.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Compare gives the way from the old lines to the new ones.
func Compare(old, now []string) []Edit {
	var head, tail []Edit
	for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
		head = append(head, Edit{' ', old[0]})
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		tail = append(tail, Edit{' ', old[len(old)-1]})
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, middle(old, now), tail)
}

// middle compares by the longest common subsequence.
func middle(old, now []string) []Edit {
	if len(old) > 0 && len(now) > maxCells/len(old) {
		return append(marked('-', old), marked('+', now)...)
	}
	width := len(now) + 1
	common := make([]int32, (len(old)+1)*width) // of old[i:] and now[j:]
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if old[i] == now[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	var out []Edit
	i, j := 0, 0
	for i < len(old) && j < len(now) {
		switch {
		case old[i] == now[j]:
			out = append(out, Edit{' ', old[i]})
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			out = append(out, Edit{'-', old[i]})
			i++
		default:
			out = append(out, Edit{'+', now[j]})
			j++
		}
	}
	return append(append(out, marked('-', old[i:])...), marked('+', now[j:])...)
}

func marked(mark byte, lines []string) []Edit {
	out := make([]Edit, len(lines))
	for i, l := range lines {
		out[i] = Edit{mark, l}
	}
	return out
}

// Hunk is a change with the equal lines around it.
type Hunk struct {
	Old, New int // the number of its first line in either text, from 1
	Edits    []Edit
}

// Header is the line that begins the hunk in a unified diff.
func (h Hunk) Header() string {
	var old, now int
	for _, e := range h.Edits {
		if e.Mark != '+' {
			old++
		}
		if e.Mark != '-' {
			now++
		}
	}
	return "@@ -" + place(h.Old, old) + " +" + place(h.New, now) + " @@"
}

// place is where lines stand; none stand after the line before them.
func place(first, lines int) string {
	if lines == 0 {
		first--
	}
	if lines == 1 {
		return strconv.Itoa(first)
	}
	return strconv.Itoa(first) + "," + strconv.Itoa(lines)
}

// Near gives the changes as a unified diff has them, with up to n equal lines before
// and after each; changes that are nearer to each other than that are one hunk.
func Near(all []Edit, n int) []Hunk {
	near := closeTo(all, n)
	var out []Hunk
	old, now := 1, 1
	for i, e := range all {
		if near[i] {
			if i == 0 || !near[i-1] {
				out = append(out, Hunk{Old: old, New: now})
			}
			h := &out[len(out)-1]
			h.Edits = append(h.Edits, e)
		}
		if e.Mark != '+' {
			old++
		}
		if e.Mark != '-' {
			now++
		}
	}
	return out
}

// Around leaves out what is farther than n lines from any change, and says so.
func Around(all []Edit, n int) []Edit {
	near := closeTo(all, n)
	var out []Edit
	for i := 0; i < len(all); {
		if near[i] {
			out = append(out, all[i])
			i++
			continue
		}
		from := i
		for i < len(all) && !near[i] {
			i++
		}
		if i-from == 1 { // saying so would take a line, too
			out = append(out, all[from])
			continue
		}
		out = append(out, Edit{'~', "… " + strconv.Itoa(i-from) + " lines are equal"})
	}
	return out
}

// closeTo marks the changes and the n lines before and after each.
func closeTo(all []Edit, n int) []bool {
	near := make([]bool, len(all))
	for i, e := range all {
		if e.Mark != ' ' {
			for k := max(i-n, 0); k <= min(i+n, len(all)-1); k++ {
				near[k] = true
			}
		}
	}
	return near
}
