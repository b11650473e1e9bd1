package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
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
	return mix(hits, x.standing(cosines, x.sketch.usual(q), sees), fused.weight*covered), nil
}

// standing is how far the cosine of each document stands out from the usual one,
// with what those beside it have of that, as with scores by words.
func (x *index) standing(cosines map[int32]float64, usual float64, sees func(*document) bool) map[int32]float64 {
	out := make(map[int32]float64, len(cosines))
	for _, n := range slices.Sorted(maps.Keys(cosines)) { // in one order, so that sums are the same
		own := max(0, cosines[n]-usual)
		out[n] += own
		x.share(n, own, tuned, func(to int32, part float64) {
			if part > 0 && sees(&x.docs[to]) {
				out[to] += part
			}
		})
	}
	return out
}

// mix adds to each score by words, as a part of the best one, how far the document
// stands out by its meaning, as a part of the one that does so most.
func mix(hits []hit, standing map[int32]float64, weight float64) []hit {
	most := 0.0
	for _, s := range standing {
		most = max(most, s)
	}
	if most == 0 {
		return hits
	}
	best := 1.0
	if len(hits) > 0 && hits[0].score > 0 {
		best = hits[0].score
	}
	out := make([]hit, 0, len(hits)+len(standing))
	for _, h := range hits {
		out = append(out, hit{h.doc, h.score/best + weight*standing[h.doc]/most})
		delete(standing, h.doc)
	}
	for n, s := range standing {
		if s > 0 {
			out = append(out, hit{n, weight * s / most})
		}
	}
	slices.SortFunc(out, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
	})
	return out
}
