package audit

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	for _, appenders := range []int{1, 16} {
		b.Run(fmt.Sprintf("appenders=%d", appenders), func(b *testing.B) {
			l := open(b, Config{Dir: b.TempDir()})
			appendAll(b, l, appenders, b.N)
		})
	}
}

// BenchmarkAppendGrown appends to logs of different sizes: the cost of a record
// must not grow with what is there already.
func BenchmarkAppendGrown(b *testing.B) {
	for _, grown := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", grown), func(b *testing.B) {
			l := open(b, Config{Dir: b.TempDir()})
			appendAll(b, l, 16, grown)
			i := 0
			for b.Loop() { // which resets the timer, and runs what stands before it once
				if err := l.Append(context.Background(), sample(i)); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

func appendAll(b *testing.B, l *Log, appenders, n int) {
	var wait sync.WaitGroup
	for a := range appenders {
		wait.Go(func() {
			for i := a; i < n; i += appenders {
				if err := l.Append(context.Background(), sample(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
