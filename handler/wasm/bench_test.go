package wasm

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/wire"
)

// event2K is one whose JSON has 2 KiB, encoded.
func event2K(b *testing.B) (hook.AnyEvent, [][]byte) {
	b.Helper()
	ev := bash(strings.Repeat("x", 1900))
	encoded, err := wire.Encode(ev)
	if err != nil {
		b.Fatal(err)
	}
	return ev, encoded.Named(ev.Info().Name)
}

// BenchmarkCall is the way of 2 KiB into the module and of its answer back,
// without the JSON of both.
func BenchmarkCall(b *testing.B) {
	h := open(b, guard, Config{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	_, event := event2K(b)
	hooktest.Median(b, func() error { _, err := h.call(ctx, event); return err })
}

// BenchmarkHandle is the same with the JSON.
func BenchmarkHandle(b *testing.B) {
	h := open(b, guard, Config{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	ev, _ := event2K(b)
	hooktest.Median(b, func() error { _, err := h.Handle(ctx, ev); return err })
}

// BenchmarkCallGo is a call of the example in Go, which reads the event and writes
// an answer, with JSON of its own.
func BenchmarkCallGo(b *testing.B) {
	m, cache := goGuest(b)
	h := New(m, Config{Cache: cache, Env: []string{`HOOKWAY_EXAM={"kind":"obeys"}`}})
	defer h.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	_, event := event2K(b)
	hooktest.Median(b, func() error { _, err := h.call(ctx, event); return err })
}

// BenchmarkThousandAtOnce is 1,000 concurrent events.
func BenchmarkThousandAtOnce(b *testing.B) {
	h := open(b, guard, Config{})
	ev, _ := event2K(b)
	hooktest.Median(b, func() error {
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				if _, err := h.Handle(context.Background(), ev); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		return nil
	})
}

// BenchmarkColdStart is a handler's first call: the module is compiled, or read
// from the cache.
func BenchmarkColdStart(b *testing.B) {
	m, warm := goGuest(b)
	small, err := Read(guard)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		m     *Module
		cache string
	}{{"small", small, ""}, {"small, cached", small, b.TempDir()}, {"go, cached", m, warm}, {"go", m, ""}} {
		b.Run(c.name, func(b *testing.B) {
			hooktest.Median(b, func() error {
				h := New(c.m, Config{Cache: c.cache, Env: []string{"HOOKWAY_EXAM={}"}})
				defer h.Close()
				_, err := h.Handle(context.Background(), bash("ls"))
				return err
			})
		})
	}
}

// BenchmarkTurns is a guest's own work, with its being metered: 2,048 turns of a
// loop that does nothing else, and 3,000 calls of a function, fib(16).
func BenchmarkTurns(b *testing.B) {
	for name, body := range map[string]string{
		"loop":  "i32.const 2048 local.set $at\nloop $on\nlocal.get $at i32.const 1 i32.sub local.tee $at br_if $on end\n",
		"calls": "i32.const 16 call $fib drop\n",
	} {
		b.Run(name, func(b *testing.B) {
			h := open(b, assemble(b, strings.Replace(module(body+allows), "(func $handle", fib+"(func $handle", 1)), Config{})
			_, event := event2K(b)
			hooktest.Median(b, func() error { _, err := h.call(b.Context(), event); return err })
		})
	}
}
