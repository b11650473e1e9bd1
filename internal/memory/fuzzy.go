package memory

import "slices"

// gramsOf gives the three-letter pieces of a term, with its beginning and end.
func gramsOf(term string) []string {
	if len(term) < 4 {
		return nil
	}
	term = "^" + term + "$"
	var out []string
	for i := range len(term) - 2 {
		out = append(out, term[i:i+3])
	}
	return out
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
	grams := gramsOf(term)
	shared := map[int32]int{}
	for _, g := range grams {
		for _, id := range x.grams[g] {
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
		if a.likeness != b.likeness {
			return sign(b.likeness - a.likeness)
		}
		return int(a.term - b.term)
	})
	return found[:min(len(found), mostLike)]
}

func sign(f float64) int {
	switch {
	case f < 0:
		return -1
	case f > 0:
		return 1
	}
	return 0
}
