package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// errChanged is the error of an embedder whose vectors change their length while
// they are made.
var errChanged = errors.New("the embedder gives vectors of another length than a moment ago; it is asked again")

// fusing says how the two orders become one.
type fusing struct {
	ranked      int     // documents of the order by words that are looked at
	near, words int     // those whose cosine is computed: by signs, and by words
	weight      float64 // of the cosine, beside 1 of the words
}

var fused = fusing{ranked: 1000, near: 192, words: 64, weight: 0.4}

// fuse ranks documents by their words and by the cosine of their vectors.
func (s *Store) fuse(ctx context.Context, x *index, hits []hit, q []float32, sees func(*document) bool) ([]hit, error) {
	docs := x.sketch.near(q, fused.near, func(n int32) bool { return sees(&x.docs[n]) })
	in := make(map[int32]bool, len(docs)+fused.words)
	for _, n := range docs {
		in[n] = true
	}
	for _, h := range hits[:min(fused.words, len(hits))] {
		if !in[h.doc] {
			docs = append(docs, h.doc)
		}
	}
	cosines, err := s.cosines(ctx, x, q, docs)
	if err != nil {
		return nil, err
	}
	covered := min(1, float64(x.sketch.count)/float64(max(1, x.live)))
	return mix(hits, cosines, x.sketch.usual(q), fused.weight*covered), nil
}

// mix adds to each score by words, as a part of the best one, how far the cosine
// stands out from the usual one, as a part of the farthest one.
func mix(hits []hit, cosines map[int32]float64, usual, weight float64) []hit {
	most := 0.0
	for _, c := range cosines {
		most = max(most, c-usual)
	}
	if most == 0 {
		return hits
	}
	best := 1.0
	if len(hits) > 0 && hits[0].score > 0 {
		best = hits[0].score
	}
	out := make([]hit, 0, len(hits)+len(cosines))
	for _, h := range hits {
		score := h.score / best
		if c, known := cosines[h.doc]; known {
			score += weight * max(0, c-usual) / most
			delete(cosines, h.doc)
		}
		out = append(out, hit{h.doc, score})
	}
	for n, c := range cosines {
		if c > usual {
			out = append(out, hit{n, weight * (c - usual) / most})
		}
	}
	slices.SortFunc(out, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
	})
	return out
}
