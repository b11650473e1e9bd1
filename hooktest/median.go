package hooktest

import (
	"slices"
	"testing"
	"time"
)

// Median runs a benchmark of something that is waited for, and reports the median
// beside the mean, in µs: a few slow calls of a busy machine say nothing about the
// handler. What do needs to begin with, such as a connection, is for the caller.
func Median(b *testing.B, do func() error) {
	b.Helper()
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "median-µs")
}
