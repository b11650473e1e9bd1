package relay

import (
	"slices"
	"strings"
)

// nearest gives up to three names that one was perhaps meant to be, the nearest
// first.
func nearest(name string, all []string) []string {
	type candidate struct {
		name string
		far  int
	}
	want := []rune(key(name))
	edits := len(want)/3 + 1
	var near []candidate
	for _, other := range all {
		k := key(other)
		far := distance(want, []rune(k), edits)
		if far > edits && len(want) > 1 && strings.HasPrefix(k, string(want)) {
			far = edits // the beginning of a name is like it
		}
		if far <= edits {
			near = append(near, candidate{other, far})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	var names []string
	for _, c := range near {
		if len(names) < 3 && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// distance counts the edits (a character put in, left out, replaced, or swapped with
// the next one) from a to b. Beyond most it may be anything greater.
func distance(a, b []rune, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := last[j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			row[j] = min(cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
