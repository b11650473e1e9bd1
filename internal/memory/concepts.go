package memory

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed concepts.txt
var conceptsText string

// How much a word counts that stands for another.
const (
	sameStrength = 1.0
	kindStrength = 0.7 // of what was asked for: pet → dog
	headStrength = 0.6 // what it is a kind of: dog → pet; another kind of that, a cat, does not count
)

// concept is a word that another one stands for, and how well.
type concept struct {
	stem     string
	strength float64
}

// concepts gives for a stem the stems of related words, best first.
var concepts = sync.OnceValue(func() map[string][]concept {
	found := map[string]map[string]float64{}
	relate := func(from, to string, strength float64) {
		if from == to || strength == 0 {
			return
		}
		if found[from] == nil {
			found[from] = map[string]float64{}
		}
		found[from][to] = max(found[from][to], strength)
	}
	for line := range strings.Lines(conceptsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		left, right, _ := strings.Cut(line, ">")
		heads, kinds := stems(left), stems(right)
		for _, h := range heads {
			for _, other := range heads {
				relate(h, other, sameStrength)
			}
			for _, k := range kinds {
				relate(h, k, kindStrength)
				relate(k, h, headStrength)
			}
		}
	}
	all := make(map[string][]concept, len(found))
	for from, to := range found {
		for s, strength := range to {
			all[from] = append(all[from], concept{s, strength})
		}
		slices.SortFunc(all[from], func(a, b concept) int {
			return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.stem, b.stem))
		})
	}
	return all
})

func stems(list string) (out []string) {
	for _, w := range strings.Fields(list) {
		out = append(out, stem(w))
	}
	return out
}
