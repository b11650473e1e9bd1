package suggest

import (
	"fmt"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
)

// BenchmarkRecord reads a record of 100,000 events: calls with and without questions in
// 2,000 sessions, with facts and steps.
func BenchmarkRecord(b *testing.B) {
	const events = 100_000
	w := newWorld(b)
	w.plan.Policy = everything()
	w.plan.Hooks = []Hook{{Hook: hook.New("mine", nil, hook.For("PreToolUse")), Kind: "command"}}
	for n := 0; w.n < events; n++ {
		at, session := day(1).Add(time.Duration(n)*time.Minute), fmt.Sprint("s-", n/16)
		switch n % 8 {
		case 0:
			w.answer(true, at, session, fmt.Sprintf("go test ./room%d", n%97))
		case 1:
			w.answer(false, at, session, fmt.Sprintf("kubectl delete pod p%d", n%31))
		default:
			r := callRecord("PreToolUse", at, session, fmt.Sprint(n), fmt.Sprintf("cat src/f%d.go | grep -n x%d", n%501, n))
			r.Facts = []hook.Fact{{Does: "run", By: "cat", Program: "cat", Sure: true}, {Does: "read", By: "cat", Path: "/p/src/f.go", Scope: "project", Sure: true}}
			r.Steps = []audit.Step{{Hook: guards.ID, Lane: "guard", Action: "continue", DurationMS: 0.1}, {Hook: "mine", Action: "continue", DurationMS: 3}}
			w.put(r)
			r.Event, r.Time = "PostToolUse", at.Add(time.Second)
			w.put(r)
		}
	}
	if err := w.log.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		r, err := Read(b.Context(), w.plan)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Records), "events")
		b.ReportMetric(float64(len(r.Suggestions)), "suggestions")
	}
}
