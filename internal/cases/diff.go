package cases

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// around is how many unchanged lines are shown around a change.
const around = 3

// maxCells bounds the table by which lines are compared; beyond it everything
// that differs is one change.
const maxCells = 4 << 20

// diffLine is one line of a comparison: '-' expected only, '+' there only, ' '
// both, '~' lines left out.
type diffLine struct {
	mark byte
	text string
}

// diff compares two texts line by line and gives the changes with their context.
func diff(want, got []string) []diffLine {
	return shorten(compare(want, got))
}

func compare(want, got []string) []diffLine {
	var head, tail []diffLine
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		head = append(head, diffLine{' ', want[0]})
		want, got = want[1:], got[1:]
	}
	for len(want) > 0 && len(got) > 0 && want[len(want)-1] == got[len(got)-1] {
		tail = append(tail, diffLine{' ', want[len(want)-1]})
		want, got = want[:len(want)-1], got[:len(got)-1]
	}
	slices.Reverse(tail)
	return slices.Concat(head, middle(want, got), tail)
}

// middle compares by the longest common subsequence.
func middle(want, got []string) []diffLine {
	if len(want)*len(got) > maxCells {
		return append(marked('-', want), marked('+', got)...)
	}
	width := len(got) + 1
	common := make([]int32, (len(want)+1)*width) // of want[i:] and got[j:]
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	var out []diffLine
	i, j := 0, 0
	for i < len(want) && j < len(got) {
		switch {
		case want[i] == got[j]:
			out = append(out, diffLine{' ', want[i]})
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			out = append(out, diffLine{'-', want[i]})
			i++
		default:
			out = append(out, diffLine{'+', got[j]})
			j++
		}
	}
	return append(append(out, marked('-', want[i:])...), marked('+', got[j:])...)
}

func marked(mark byte, texts []string) []diffLine {
	out := make([]diffLine, len(texts))
	for i, t := range texts {
		out[i] = diffLine{mark, t}
	}
	return out
}

// shorten leaves out what is far from any change.
func shorten(all []diffLine) []diffLine {
	near := make([]bool, len(all))
	for i, l := range all {
		if l.mark != ' ' {
			for k := max(i-around, 0); k <= min(i+around, len(all)-1); k++ {
				near[k] = true
			}
		}
	}
	var out []diffLine
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
		out = append(out, diffLine{'~', "… " + strconv.Itoa(i-from) + " lines are equal"})
	}
	return out
}

// visible makes text of hooks fit for a terminal: control characters and what
// cannot be seen are written as escapes.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
