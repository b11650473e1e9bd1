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
		select {
		case <-r.printed:
		case err := <-done: // it did not come to that
			return err
		}
		cancel()
	}
	return <-done
}

// Timers that make more timers than there may be are given up with their event,
// and what they say about it is bounded.
func TestAFloodOfTimersEnds(t *testing.T) {
	r := run(t, "export default () => new Promise(() => { const f = () => { for (let i = 0; i < 50; i++) setTimeout(f, 0); }; f(); });\n")
	r.p.afterwards, r.p.maxOps = 100*time.Millisecond, 200
	if _, err := limited(r, time.Minute, "x"); err == nil || !strings.Contains(err.Error(), "timers and requests open") {
		t.Fatalf("it gave %v", err)
	}
	r.p.mu.Lock()
	var machines []*machine
	for m := range r.p.all {
		machines = append(machines, m)
	}
	r.p.mu.Unlock()
	for end := time.Now().Add(time.Minute); ; {
		left := make(chan int, len(machines))
		for _, m := range machines {
			m.post(task{do: func() { left <- len(m.ops) }})
		}
		n := 0
		for range machines {
			n += <-left
		}
		if n == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d timers are left", n)
		}
	}
	if n := strings.Count(r.logged(), "\n"); n > maxPrinted+1 {
		t.Errorf("%d lines were logged", n)
	}
}
