package script

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
)

// resident is the memory that this process has in use, or 0 where that is unknown.
func resident() int {
	if raced {
		return 0
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

func TestHarmLeavesNothingBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of scripts run into their limits")
	}
	if raced {
		t.Skip("it takes a minute with the race detector, and is run without it as well")
	}
	dir := files(t, map[string]string{
		"hook.ts":     badOrGood,
		"endless.ts":  "for (let i = 0; ; i++) Math.random();\nexport default () => {};\n",
		"waits.ts":    "setInterval(() => {}, 1000);\nawait new Promise(() => {});\nexport default () => {};\n",
		"swallows.ts": "const keep: string[] = [];\nfor (;;) keep.push('x'.repeat(1 << 20) + keep.length);\nexport default () => {};\n",
		"timers.ts":   "export default async () => { for (let i = 0; i < 100; i++) setInterval(() => {}, 1); await new Promise(() => {}); };\n",
	})
	once := func(file, command string, loadTime, limit time.Duration) error {
		b, err := Build(filepath.Join(dir, file), "")
		if err != nil {
			t.Fatal(err)
		}
		p := Open(b, Config{})
		p.loadTime = loadTime
		defer p.Close()
		h := p.Handler(Main, Options{})
		defer h.Close()
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		_, err = h.Handle(ctx, bash(command))
		return err
	}
	if err := once("hook.ts", "ls", time.Minute, time.Minute); err != nil {
		t.Fatal(err)
	}
	before, memory := runtime.NumGoroutine(), 0
	for round := range 2 {
		if round == 1 { // what is freed stays with the process: only what a second round adds is lost
			eventually.Goroutines(t, before)
			memory = resident()
		}
		for _, c := range [][2]string{
			{"hook.ts", "loop"}, {"hook.ts", "memory"}, {"hook.ts", "gigabyte"}, {"hook.ts", "never"}, {"hook.ts", "recursion"}, {"hook.ts", "regex"}, {"hook.ts", "chain"},
			{"endless.ts", ""}, {"waits.ts", ""}, {"swallows.ts", ""}, {"timers.ts", ""},
		} {
			if err := once(c[0], c[1], 100*time.Millisecond, time.Second); err == nil {
				t.Errorf("%s %s: no error", c[0], c[1])
			}
		}
	}
	eventually.Goroutines(t, before)
	if more := resident() - memory; memory != 0 && more > 2*memoryLimit {
		t.Errorf("%d MiB more are in use", more>>20)
	}
}

func TestAThousandEventsAtOnceNeedBoundedMemory(t *testing.T) {
	r := run(t, "const seen: string[] = [];\nexport default async (e: any) => { seen.push(e.tool_input.command); await new Promise((r) => setTimeout(r, 5)); return { action: 'block', reason: String(e.tool_input.command.length) }; };")
	if _, err := r.Handle(context.Background(), bash("x")); err != nil {
		t.Fatal(err)
	}
	before, memory := runtime.NumGoroutine(), resident()
	var all sync.WaitGroup
	errs := make(chan error, 1000)
	for i := range cap(errs) {
		all.Go(func() {
			d, err := r.Handle(context.Background(), bash(strings.Repeat("x", 1800+i)))
			if err == nil && d.Reason != fmt.Sprint(1800+i) {
				err = fmt.Errorf("event %d was answered with %s", i, d.Reason)
			}
			errs <- err
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.p.mu.Lock()
	machines := len(r.p.all)
	r.p.mu.Unlock()
	if machines > maxMachines {
		t.Errorf("%d machines", machines)
	}
	eventually.Goroutines(t, before+machines)
	if more := resident() - memory; memory != 0 && more > (maxMachines+1)*memoryLimit {
		t.Errorf("%d MiB more are in use", more>>20)
	}
	t.Logf("%d machines, %d MiB more", machines, (resident()-memory)>>20)
}
