package memory

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/memory/exam"
)

// likened makes vectors as an embedder of a given power would: those of a session
// are somewhat alike, and that of a question is, by so much, like that of its
// answer. 0 is an embedder that knows nothing.
type likened struct {
	chance  *rand.Rand
	texts   [][]float32
	queries map[string][]float32
	usual   []float32
}

const likenedDims = 128

func (l *likened) random() []float32 {
	v := make([]float32, likenedDims)
	for i := range v {
		v[i] = float32(l.chance.NormFloat64())
	}
	return v
}

// toward turns a vector by so much toward another, and makes it one long.
func toward(t *testing.T, v, to []float32, by float32) []float32 {
	t.Helper()
	for i := range v {
		v[i] += by * to[i]
	}
	v, err := unit(v)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newLikened(t *testing.T, all []Memory, asked []asking, power float32) *likened {
	l := &likened{chance: rand.New(rand.NewPCG(3, 4)), queries: map[string][]float32{}, usual: make([]float32, likenedDims)}
	sessions, at := map[string][]float32{}, map[string]int{}
	for i, m := range all {
		if sessions[m.Session] == nil {
			sessions[m.Session] = l.random()
		}
		l.texts = append(l.texts, toward(t, l.random(), sessions[m.Session], 0.5))
		at[m.ID] = i
		for j, f := range l.texts[i] {
			l.usual[j] += f / float32(len(all)+fewTexts)
		}
	}
	for _, a := range asked {
		l.queries[a.Text] = toward(t, l.random(), l.texts[at[a.IDs[0]]], power)
	}
	return l
}

func along(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// order is what the vectors alone find.
func (l *likened) order(query string) []hit {
	hits := make([]hit, len(l.texts))
	for i, v := range l.texts {
		hits[i] = hit{int32(i), along(l.queries[query], v)}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// TestFusion holds that an embedder that knows nothing takes away hardly more than
// chance does, and that one which by itself finds less than words adds much.
func TestFusion(t *testing.T) {
	for _, test := range []struct {
		dir  string
		lose float64 // at most, with random vectors: what chance does to so many questions
	}{{"exam/set", 2}, {"testdata/long", 5}} {
		all, asked := readSet(t, test.dir, "*.txt")
		x := newIndex("/w", false)
		for i := range all {
			x.add(int64(i+1), &all[i])
		}
		see := View{Workspace: "/w"}.sees()
		ids := func(hits []hit, k int) (out []string) {
			for _, h := range hits[:min(k, len(hits))] {
				out = append(out, all[h.doc].ID)
			}
			return out
		}
		words, _ := exam.Recall(10, asked, func(q string, k int) []string { return ids(x.score(q, k, see, tuned), k) })
		for _, power := range []float32{0, 2} {
			l := newLikened(t, all, asked, power)
			alone, _ := exam.Recall(10, asked, func(q string, k int) []string { return ids(l.order(q), k) })
			both, _ := exam.Recall(10, asked, func(q string, k int) []string {
				hits, cosines := x.score(q, fused.ranked, see, tuned), map[int32]float64{}
				for _, h := range l.order(q)[:min(fused.near, len(all))] {
					cosines[h.doc] = h.score
				}
				for _, h := range hits[:min(fused.words, len(hits))] {
					cosines[h.doc] = along(l.queries[q], l.texts[h.doc])
				}
				return ids(mix(hits, x.standing(cosines, along(l.queries[q], l.usual), see), fused.weight), k)
			})
			t.Logf("%s: recall@10 by words %.1f %%, by vectors of power %.1f %.1f %%, by both %.1f %%", test.dir, words, power, alone, both)
			switch {
			case power == 0 && both < words-test.lose:
				t.Errorf("random vectors take away %.1f points", words-both)
			case power > 0 && both < words+5:
				t.Errorf("vectors that find %.1f %% alone make %.1f %% of %.1f", alone, both, words)
			}
		}
	}
}
