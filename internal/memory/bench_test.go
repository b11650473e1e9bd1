package memory

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// many makes memories with the words of the recall sets, in sessions of twenty.
func manyMemories(t testing.TB, n int) []Memory {
	all, _ := recallSet(t, "*.txt")
	var pool []string
	for _, m := range all {
		pool = append(pool, strings.Fields(m.Text)...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 { // names of things, which each store has its own of
		pool = append(pool, fmt.Sprintf("thing%d", i))
	}
	out := make([]Memory, n)
	for i := range out {
		var text []string
		for range 8 + r.IntN(20) {
			// low numbers far more often, as in a language
			text = append(text, pool[int(float64(len(pool))*r.Float64()*r.Float64())])
		}
		out[i] = Memory{ID: fmt.Sprint("b", i), Text: strings.Join(text, " "), Scope: ScopeWorkspace, Workspace: "/w", Agent: all[i%len(all)].Agent, Session: fmt.Sprint("s", i/20), Time: time.Unix(int64(1.7e9)+int64(i)*60, 0).UTC()}
	}
	return out
}

func BenchmarkSave(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "m.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		if _, err := s.Save(b.Context(), Memory{Text: fmt.Sprintf("The user wants number %d", i), Workspace: "/w"}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	report(b, took)
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, asked := recallSet(b, "*.txt")
			all := manyMemories(b, n)
			x := newIndex("/w", false)
			began := time.Now()
			for i := range all {
				x.add(int64(i+1), &all[i])
			}
			b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-index")
			see := View{Workspace: "/w"}.sees()
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				x.score(asked[i*7%len(asked)].Text, 10, see, tuned)
				took = append(took, time.Since(began))
			}
			report(b, took)
		})
	}
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func BenchmarkNear(b *testing.B) {
	const dims, n = 768, 100_000
	r := rand.New(rand.NewPCG(1, 2))
	k := &sketch{dims: dims}
	v := make([]float32, dims)
	for i := range n {
		for j := range v {
			v[j] = float32(r.NormFloat64())
		}
		k.put(int32(i), pack(v))
	}
	for b.Loop() {
		k.near(v, fused.near, func(int32) bool { return true })
	}
}

// BenchmarkIndex is what the first search of a process does.
func BenchmarkIndex(b *testing.B) {
	all := manyMemories(b, 20_000)
	for b.Loop() {
		x := newIndex("/w", false)
		for i := range all {
			x.add(int64(i+1), &all[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(all)), "µs/memory")
}
