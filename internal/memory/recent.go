package memory

import (
	"context"
	"errors"
	"slices"
)

// From how many of the newest memories [Recent] chooses.
const mostRecent = 50

// Recent gives the n most useful of the newest memories that a view can see: for who
// asks in words that no memory has, such as the path of a folder. Those that say
// something come first, the newest of them first; questions, and texts of hardly any
// words, fill up.
func Recent(ctx context.Context, b Backend, n int, v View) ([]Memory, error) {
	newest, err := b.List(ctx, mostRecent, v)
	if err != nil && !errors.Is(err, ErrPart) {
		return nil, err
	}
	var useful, other []Memory
	seen := map[string]bool{}
	for _, m := range newest {
		switch {
		case seen[m.Text]:
		case hintsOf(m.Text, words(m.Text))&isQuestion != 0 || len(terms(m.Text)) < 3:
			other = append(other, m)
		default:
			useful = append(useful, m)
		}
		seen[m.Text] = true
	}
	all := slices.Concat(useful, other)
	return all[:min(n, len(all))], nil
}
