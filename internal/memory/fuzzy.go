package memory

import (
	"cmp"
	"slices"
)

// gram is three letters of a term.
type gram [3]byte

// gramsOf gives the pieces of a term, with its beginning and end.
func gramsOf(term string) []gram {
	if len(term) < 4 {
		return nil
	}
	term = "^" + term + "$"
	out := make([]gram, 0, len(term))
	for i := range len(term) - 2 {
		out = append(out, gram([]byte(term[i:i+3])))
	}
	return out
}

// pieces brings the table of pieces up to date.
func (x *index) pieces() map[gram][]int32 {
	for ; x.gramed < len(x.spelling); x.gramed++ {
		for _, g := range gramsOf(x.spelling[x.gramed]) {
			x.grams[g] = append(x.grams[g], int32(x.gramed))
		}
	}
	return x.grams
}

// Likeness of spellings: how much of the pieces must be the same, and how many
// such terms stand in for one.
const (
	leastLikeness = 0.55
	mostLike      = 4
)

type like struct {
	term     int32
	likeness float64
}

// likes gives terms that are spelled almost like one: a slip of the finger, or
// another ending.
func (x *index) likes(term string) []like {
	grams, table := gramsOf(term), x.pieces()
	shared := map[int32]int{}
	for _, g := range grams {
		for _, id := range table[g] {
			shared[id]++
		}
	}
	var found []like
	for id, n := range shared {
		if x.spelling[id] == term || len(x.postings[id]) == 0 {
			continue
		}
		dice := 2 * float64(n) / float64(len(grams)+len(x.spelling[id]))
		if dice >= leastLikeness {
			found = append(found, like{id, dice})
		}
	}
	slices.SortFunc(found, func(a, b like) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(a.term, b.term))
	})
	return found[:min(len(found), mostLike)]
}
