//go:build unix

package config

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLoad is what every start of hookway pays: a workspace with n hooks in
// its file and n executables, trusted, each asked before.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("hooks=%d", n), func(b *testing.B) {
			t := new(testing.T)
			w := &world{t: t, home: b.TempDir(), ws: b.TempDir(), env: map[string]string{}}
			w.env["HOOKWAY_HOME"] = w.home
			var file strings.Builder
			file.WriteString("hooks:\n")
			for i := range n {
				fmt.Fprintf(&file, "  - {id: h%d, on: PreToolUse, match: {tool: Bash, command: 'rm\\s+-rf', path: 'src/**'}, lane: guard, block: no}\n", i)
				w.write(w.work(fmt.Sprintf(".hookway/hooks/h%d.sh", i)), describing(`{"event":"PreToolUse"}`, "no"))
			}
			w.write(w.work("hookway.yaml"), file.String())
			opts := w.options()
			opts.Log = nil
			if _, err := Trust(opts); err != nil {
				b.Fatal(err)
			}
			load := func() {
				set, err := Load(context.Background(), opts)
				if err != nil || len(set.active()) != 2*n {
					b.Fatalf("got %v %s, want err == nil and len(set.active()) == 2 * n", err, set.Problems)
				}
				if err := set.Close(); err != nil {
					b.Fatal(err)
				}
			}
			load() // asks the executables
			for b.Loop() {
				load()
			}
		})
	}
}
