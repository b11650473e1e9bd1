//go:build unix

package judge_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/judge"
)

// BenchmarkAnswer is one call of Claude Code that a hook refuses, from its bytes
// to its answer, with its record written.
func BenchmarkAnswer(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			w := newWorld(b, noRM)
			log, err := audit.Open(audit.Config{Dir: filepath.Join(w.home, "audit")})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = log.Close() })
			w.Record = log.Append
			var n atomic.Int64
			b.ReportAllocs()
			b.SetParallelism(clients)
			ask := func() {
				i := n.Add(1)
				r := w.bash(fmt.Sprint("s", i%16), fmt.Sprint(i), "rm -rf build")
				reply := w.Answer(context.Background(), judge.Caller{}, r)
				if len(reply.Stdout) < 10 {
					b.Error(reply)
				}
			}
			ask()
			if clients == 1 {
				for b.Loop() {
					ask()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ask()
				}
			})
		})
	}
}
