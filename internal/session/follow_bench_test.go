//go:build linux || darwin

package session_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// BenchmarkRecordToHook is from the line in the agent's own record to the hook.
func BenchmarkRecordToHook(b *testing.B) {
	w := newWrapped(b)
	w.hook("Directive", nil)
	_, record, say := w.likeClaude(`mkdir -p "$HOME/.claude/sessions"; printf '{"pid":%d,"sessionId":"s"}' $$ >"$HOME/.claude/sessions/$$.json"; echo ready; read x`)
	w.screen.await(b, "ready")
	w.records(record, "first", time.Now(), "@deploy:a go")
	of[hook.DirectiveCall](w, 1)
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		begun := time.Now()
		w.records(record, fmt.Sprint("m", i), begun, "@deploy:a go")
		of[hook.DirectiveCall](w, i+2)
		took = append(took, time.Since(begun))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms/p99")
	say("\n")
	w.end()
}
