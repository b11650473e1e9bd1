package script

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Timers of events that are over do not count against those that come after.
func TestTimersEndWithTheirEvents(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		fails bool // the event is cancelled
	}{
		"waited for in vain":   {"export default async () => { console.log('at work'); await new Promise((r) => setTimeout(r, 1e9)); };\n", true},
		"not waited for":       {"export default () => { setTimeout(() => {}, 1e9); console.log('at work'); };\n", false},
		"begun after the end":  {"export default async () => { (async () => { for (let i = 0; i < 20; i++) await null; setTimeout(() => {}, 1e9); })().catch(console.error); };\n", false},
		"one after the other":  {"export default () => { setInterval(() => {}, 1); console.log('at work'); };\n", false},
		"awaited by something": {"export default () => { (async () => { for (;;) await new Promise((r) => setTimeout(r, 1)); })().catch(console.error); console.log('at work'); };\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c.text)
			r.p.afterwards, r.p.maxOps = time.Millisecond, 200
			for i := range 2*r.p.maxOps + 100 {
				if err := r.once(t, c.fails); err != nil && (!c.fails || strings.Contains(err.Error(), "open")) {
					t.Fatalf("event %d: %v", i, err)
				}
			}
			if logged := r.logged(); strings.Contains(logged, "open; wait") {
				t.Error("a timer was refused")
			}
		})
	}
}

// once handles an event, which is cancelled while the script is at work if it shall fail.
func (r *ran) once(t *testing.T, fails bool) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := r.Handle(ctx, bash("x"))
		done <- err
	}()
	if fails {
		<-r.printed
		cancel()
	}
	return <-done
}
