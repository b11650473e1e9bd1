package script

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// hookOf is a hook that a plugin registers, by its place among all that it registers.
func (r *ran) hookOf(t *testing.T, index int) *Handler {
	t.Helper()
	h := r.p.Handler(index, Options{})
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// A service goes on when the event is over that began it, in what it awaits too, and
// ends with the program: the last that was begun first.
func TestServicesGoOnUntilTheProgramEnds(t *testing.T) {
	r := run(t, `export default function register(api) {
  let ticks = 0, looped = 0, stop;
  api.registerService({ id: "one", start: async () => { await null; setInterval(() => ticks++, 1); }, stop: async () => { await new Promise((r) => setTimeout(r, 1)); console.log("one stopped"); } });
  api.registerService({ id: "two", start() { (async () => { for (;;) { await new Promise((r) => setTimeout(r, 1)); looped++; } })(); }, stop: () => { console.log("two stopped"); } });
  api.registerService({ id: "bad", start() { throw new Error("no start"); }, stop() { throw new Error("no stop"); } });
  api.lifecycle.onDispose(() => console.log("disposed, " + api.lifecycle.signal.aborted));
  api.on("before_tool_call", () => ({ block: true, blockReason: ticks > 50 && looped > 50 ? "both" : "not yet" }));
}
`)
	r.p.afterwards = time.Nanosecond // what belongs to an event is over with it
	h := r.hookOf(t, 2)
	for end := time.Now().Add(time.Minute); ; {
		d, err := h.Handle(context.Background(), bash("x"))
		if err != nil {
			t.Fatal(err)
		}
		if d.Reason == "both" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the services do not go on: %s; %s", d.Reason, r.logged())
		}
	}
	for _, one := range []*Handler{h, r.Handler} {
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
	}
	logged := r.logged()
	switch want := "two stopped\none stopped"; {
	case !strings.Contains(logged, want) || !strings.Contains(logged, "disposed, true") || !strings.Contains(logged, "no start"):
		t.Errorf("it logged:\n%s", logged)
	case !strings.Contains(logged, "no stop"):
		t.Errorf("it logged:\n%s", logged)
	}
}

// What a service prints is bounded, as what an event prints.
func TestWhatServicesPrintIsBounded(t *testing.T) {
	r := run(t, `export default function register(api) {
  let ticks = 0;
  api.registerService({ start() { setInterval(() => { for (let i = 0; i < 50; i++) console.log("noise"); ticks++; }, 1); } });
  api.on("before_tool_call", () => ({ block: true, blockReason: ticks > 10 ? "enough" : "" }));
}
`)
	r.p.afterwards = time.Hour
	h := r.hookOf(t, 2)
	for end := time.Now().Add(time.Minute); ; {
		d, err := h.Handle(context.Background(), bash("x"))
		if err != nil {
			t.Fatal(err)
		}
		if d.Reason == "enough" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the service does not go on")
		}
	}
	if n := strings.Count(r.logged(), "noise"); n > maxPrinted {
		t.Errorf("%d lines", n)
	}
}

// Handlers of one plugin that wait for each other both go on, also where they compute
// for long: they share one machine.
func TestHandlersOfAPluginWaitForEachOther(t *testing.T) {
	r := run(t, `export default function register(api) {
  const been = [];
  const meets = (own, other) => async () => {
    for (const end = Date.now() + 120; Date.now() < end;); // longer than others wait for a machine
    been.push(own);
    while (!been.includes(other)) await new Promise((r) => setTimeout(r, 1));
    return { block: true, blockReason: "met " + other };
  };
  api.on("before_tool_call", meets("a", "b"));
  api.on("before_tool_call", meets("b", "a"));
}
`)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for i, want := range []string{"met b", "met a"} {
		h := r.hookOf(t, i)
		all.Go(func() {
			if d, err := h.Handle(ctx, bash("x")); err != nil || d.Reason != want {
				t.Errorf("got %q, %v, want err == nil and d.Reason == want", d.Reason, err)
			}
		})
	}
	all.Wait()
}

// A handler that is stopped takes its machine with it: the services end in their order,
// and those of the next machine begin only then.
func TestServicesEndInOrderWhenAHandlerIsStopped(t *testing.T) {
	r := run(t, `export default function register(api) {
  const service = (id) => ({ id, start() { console.log("start " + id); }, async stop() { await null; console.log("stop " + id); } });
  api.registerService(service("one"));
  api.registerService(service("two"));
  api.on("before_tool_call", ({ params }) => {
    console.log("asked");
    if (params.command === "loop") for (;;);
    return { block: true, blockReason: "no" };
  });
}
`)
	h := r.hookOf(t, 2)
	ask := func() {
		t.Helper()
		if d, err := h.Handle(context.Background(), bash("ls")); err != nil || d.Reason != "no" {
			t.Fatalf(`got %v, %v, want err == nil and d.Reason == "no"`, d, err)
		}
	}
	ask()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for strings.Count(r.logged(), "asked") < 2 {
			<-r.printed
		}
		cancel()
	}()
	if _, err := h.Handle(ctx, bash("loop")); err == nil {
		t.Fatal("a loop without end has an answer")
	}
	ask()
	var order []string
	for line := range strings.Lines(r.logged()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "start ") || strings.HasPrefix(line, "stop ") {
			order = append(order, line)
		}
	}
	if got, want := strings.Join(order, ", "), "start one, start two, stop two, stop one, start one, start two"; got != want {
		t.Errorf("%s, not %s; it logged:\n%s", got, want, r.logged())
	}
}
