package memory

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// errChanged is the error of an embedder whose vectors change their length while
// they are made.
var errChanged = errors.New("the embedder gives vectors of another length than a moment ago; it is asked again")

// fusing says how the two orders become one.
type fusing struct {
	near, words, sample int     // documents whose cosine is computed: by signs, by words, and any
	weight              float64 // of the cosine, beside 1 of the words
}

// fewTexts is how many texts are too few to tell how alike any two are.
const fewTexts = 8

var fused = fusing{near: 256, words: 128, sample: 64, weight: 0.6}

// fuse ranks documents by their words and by the cosine of their vectors.
func (s *Store) fuse(ctx context.Context, x *index, hits []hit, q []float32, sees func(*document) bool) ([]hit, error) {
	docs := x.sketch.near(q, fused.near, func(n int32) bool { return sees(&x.docs[n]) })
	in := make(map[int32]bool, len(docs)+fused.words)
	for _, n := range docs {
		in[n] = true
	}
	for _, h := range hits[:min(fused.words, len(hits))] {
		if !in[h.doc] {
			in[h.doc] = true
			docs = append(docs, h.doc)
		}
	}
	known := len(docs)
	for i := range fused.sample { // how alike any two texts are
		docs = append(docs, int32(i*len(x.docs)/fused.sample))
	}
	cosines, err := s.cosines(ctx, x, q, docs)
	if err != nil {
		return nil, err
	}
	return mix(hits, docs[:known], cosines, float64(x.sketch.count)/float64(max(1, x.live))), nil
}

// mix adds to each score by words, as a part of the best one, how far the cosine
// stands out from those of any texts, as a part of the farthest one. Behind docs,
// cosines has those of the sample.
func mix(hits []hit, docs []int32, cosines []float32, covered float64) []hit {
	mean, n := 0.0, 0
	for _, c := range cosines[len(docs):] {
		if !math.IsNaN(float64(c)) {
			mean += float64(c)
			n++
		}
	}
	mean /= float64(n + fewTexts)
	above := func(c float32) float64 {
		if f := float64(c) - mean; f > 0 { // NaN is not
			return f
		}
		return 0
	}
	most := 0.0
	for _, c := range cosines[:len(docs)] {
		most = max(most, above(c))
	}
	if most == 0 {
		return hits
	}
	best := 1.0
	if len(hits) > 0 {
		best = hits[0].score
	}
	add := make(map[int32]float64, len(docs))
	for i, n := range docs {
		if c := above(cosines[i]); c > 0 {
			add[n] = c / most * fused.weight * min(1, covered)
		}
	}
	out := make([]hit, 0, len(hits)+len(docs))
	for _, h := range hits {
		out = append(out, hit{h.doc, h.score/best + add[h.doc]})
		delete(add, h.doc)
	}
	for n, c := range add {
		out = append(out, hit{n, c})
	}
	slices.SortFunc(out, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
	})
	return out
}
