package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
)

// logDir is the log of HOOKWAY_RECORD, a home that bench record has filled; by default one
// of a few records.
func logDir(b *testing.B) (dir string, records int64) {
	b.Helper()
	dir = newLogOnce(b)
	if home := os.Getenv("HOOKWAY_RECORD"); home != "" {
		dir = filepath.Join(home, "state", "audit")
	}
	page, err := whole(b, open(b, dir)).Page(b.Context(), index.Query{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	return dir, page.Total
}

func newLogOnce(b *testing.B) string {
	if os.Getenv("HOOKWAY_RECORD") != "" {
		return ""
	}
	return newLog(b, 5000, 1<<20)
}

// BenchmarkBuild builds the index of a log from nothing.
func BenchmarkBuild(b *testing.B) {
	dir, records := logDir(b)
	for b.Loop() {
		if err := index.Remove(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
		x := index.Open(dir, nil)
		whole(b, x)
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	if info, err := os.Stat(filepath.Join(dir, index.FileName)); err == nil {
		b.ReportMetric(float64(info.Size())/float64(records), "bytes/record")
	}
}

// BenchmarkPage asks for pages of a hundred.
func BenchmarkPage(b *testing.B) {
	dir, _ := logDir(b)
	x := whole(b, open(b, dir))
	for _, c := range []struct {
		name  string
		query index.Query
	}{
		{"newest", index.Query{}},
		{"blocks", index.Query{Filter: filter("block", "")}},
		{"agent", index.Query{Filter: filter("", "codex")}},
		{"rule", index.Query{Rule: "release/publish"}},
		{"word", index.Query{Text: "kubectl"}},
		{"words", index.Query{Text: `namespace "delete names"`}},
		{"rare", index.Query{Text: "linter/web/index"}},
		{"none", index.Query{Text: "nobody ever said this"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Page(b.Context(), c.query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStats makes the figures of the whole log.
func BenchmarkStats(b *testing.B) {
	dir, _ := logDir(b)
	x := whole(b, open(b, dir))
	for b.Loop() {
		if _, err := x.Stats(b.Context(), index.StatsQuery{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFollow asks for the newest record after some were written: what that takes more
// than for one that is known, divided by how many were written.
func BenchmarkFollow(b *testing.B) {
	dir, _ := logDir(b)
	x := whole(b, open(b, dir))
	log, err := audit.Open(audit.Config{Dir: dir, KeepSize: 1 << 40})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	ask := func() time.Duration {
		began := time.Now()
		if _, err := x.Page(b.Context(), index.Query{Limit: 1}); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 20, 200} {
		b.Run(fmt.Sprint("records=", n), func(b *testing.B) {
			var known, grown time.Duration
			for b.Loop() {
				for i := range n {
					if err := log.Append(b.Context(), record(r, i)); err != nil {
						b.Fatal(err)
					}
				}
				grown += ask()
				known += ask()
			}
			b.ReportMetric(float64((grown-known).Microseconds())/float64(n*b.N), "µs/record")
			b.ReportMetric(float64(known.Microseconds())/float64(b.N), "µs-known")
		})
	}
}
