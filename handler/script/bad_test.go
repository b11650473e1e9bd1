package script

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// limited asks with a deadline, as the engine does.
func limited(r *ran, limit time.Duration, command string) (hook.Decision, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return r.Handle(ctx, bash(command))
}

// badOrGood does harm if the command is a key of it.
const badOrGood = `
const keep: unknown[] = [];
const deep = (n: number): number => 1 + deep(n + 1);
const harm: Record<string, () => unknown> = {
  loop() {
    for (let i = 0; ; i++) keep.length = 0;
  },
  recursion: () => deep(0),
  regex: () => /^(?:a+)+$/.test("a".repeat(64) + "b"),
  memory() {
    for (;;) keep.push("x".repeat(1 << 20) + keep.length);
  },
  async chain() {
    const next = (n: number): any => Object.assign(Promise.resolve().then(() => next(n + 1)), { weight: "x".repeat(1 << 14) + n });
    return next(0);
  },
  gigabyte: () => new Uint8Array(1 << 30).length,
  never: () => new Promise(() => {}),
  async later() {
    await null;
    for (;;);
  },
  async early() {
    for (;;);
  },
  thrown() { throw "just a text"; },
  async rejected() { throw new RangeError("too far"); },
  function: () => () => 1,
  circle() { const a: any = {}; a.a = a; return a; },
  bigint: () => ({ action: "block", reason: 1n }),
  exit: () => process.exit(1),
};
export default (event: any) => {
  const it = harm[event.tool_input.command];
  return it ? it() : { action: "block", reason: "good" };
};
`

func TestHarmIsOneClearErrorAndTheNextEventWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of scripts run into their limits")
	}
	r := run(t, badOrGood)
	if _, err := limited(r, time.Minute, "ls"); err != nil { // it is read, which may take long
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, want string
		endless    bool
	}{
		{"loop", "hook.ts:6:", true},
		{"recursion", "hook.ts:3:", false},
		{"regex", "hook.ts:9:", true},
		{"memory", "it needs more than 64 MiB of memory", false},
		{"chain", "it needs more than 64 MiB of memory|when its time was over", true}, // what fails for want of memory gives some back, and goes on
		{"gigabyte", "hook.ts:17:", false},
		{"never", "can never be settled", false},
		{"later", "hook.ts:20:", true},
		{"early", "hook.ts: it was stopped here when its time was over", true},
		{"thrown", "it threw just a text", false},
		{"rejected", "RangeError: too far", false},
		{"function", "the answer is a function", false},
		{"circle", "circular", false},
		{"bigint", "bigint", false},
		{"exit", "process.exit is not there", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			limit := 10 * time.Minute // slow machines fill memory slowly
			if c.endless {
				limit = 3 * time.Second
			}
			d, err := limited(r, limit, c.what)
			late := c.endless && errors.Is(err, context.DeadlineExceeded) // a slow machine is stopped a moment after it should have said so itself
			said := func(want string) bool {
				return err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want))
			}
			if !late && !slices.ContainsFunc(strings.Split(c.want, "|"), said) {
				t.Errorf("it gave %v and the error %v, want %q", d.Action, err, c.want)
			}
			if d, err := limited(r, time.Minute, "ls"); err != nil || d.Reason != "good" {
				t.Errorf("afterwards: %+v, %v", d, err)
			}
		})
	}
}

func TestALoopIsStoppedWhenTheCallerGivesUp(t *testing.T) {
	r := run(t, "export default (e: any) => {\n  console.log('begun');\n  for (;;);\n};\n")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { _, err := r.Handle(ctx, bash("x")); done <- err }()
	<-r.printed
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it gave %v", err)
	}
	if err := r.Close(); err != nil { // returns only when the loop has ended
		t.Error(err)
	}
}

func TestALoopAtLoadTime(t *testing.T) {
	dir := files(t, map[string]string{"hook.ts": "let i = 0;\nwhile (true) {\n  i++;\n}\nexport default () => {};\n"})
	b, err := Build(filepath.Join(dir, "hook.ts"), "")
	if err != nil {
		t.Fatal(err)
	}
	p := Open(b, Config{})
	p.loadTime = 200 * time.Millisecond
	defer p.Close()
	if _, err := p.Describe(context.Background()); err == nil || !strings.Contains(err.Error(), "hook.ts:") {
		t.Errorf("describing gave %v", err)
	}
}

func TestOthersAreAnsweredWhileOneLoops(t *testing.T) {
	r := run(t, badOrGood)
	if _, err := limited(r, time.Minute, "ls"); err != nil {
		t.Fatal(err)
	}
	looping := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _, err := r.Handle(ctx, bash("loop")); looping <- err }()
	for range 20 {
		if d, err := limited(r, time.Minute, "ls"); err != nil || d.Reason != "good" {
			t.Fatalf(`got %+v, %v, want err == nil and d.Reason == "good"`, d, err)
		}
	}
	cancel()
	<-looping
}

// TestOthersAreAnsweredWhileOneGoesOnThatWasAnswered: what a handler leaves behind may
// compute for as long as its event had, and no call waits for it.
func TestOthersAreAnsweredWhileOneGoesOnThatWasAnswered(t *testing.T) {
	r := run(t, `export default (event: any) => {
  if (event.tool_input.command === "harm") Promise.resolve().then(() => { for (;;); });
  return { action: "block", reason: "good" };
};`)
	for _, command := range []string{"ls", "harm", "ls", "harm", "ls"} {
		if d, err := limited(r, 10*time.Minute, command); err != nil || d.Reason != "good" {
			t.Fatalf(`%s: got %+v, %v, want err == nil and d.Reason == "good"`, command, d, err)
		}
	}
}

func TestTheSignalTellsAHandlerThatItIsOver(t *testing.T) {
	r := run(t, `export default async (e: any, ctx: any) => {
  await new Promise((_, reject) => {
    ctx.signal.addEventListener("abort", () => { console.log("heard", ctx.signal.reason.name); reject(ctx.signal.reason); });
    setTimeout(() => {}, 3600_000);
    console.log("begun");
  });
};`)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { _, err := r.Handle(ctx, bash("x")); done <- err }()
	<-r.printed
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it gave %v", err)
	}
	<-r.printed
	if got := r.logged(); got != "begun\nheard AbortError" {
		t.Errorf("the handler printed %q", got)
	}
}

func TestAFileWithoutADefaultFunctionSaysSo(t *testing.T) {
	r := run(t, `import { block, on } from "hookway";
on("PreToolUse", () => block("no"));`)
	_, err := limited(r, time.Minute, "ls")
	if err == nil || !strings.Contains(err.Error(), "hook.ts: it exports no default function") {
		t.Errorf("it gave %v", err)
	}
	r = run(t, "const x: any = {};\nexport default () => x.y();")
	if _, err := limited(r, time.Minute, "ls"); err == nil || !strings.Contains(err.Error(), "hook.ts:2:") {
		t.Errorf("a default function that throws gave %v", err)
	}
}

func TestAClosedHandlerFails(t *testing.T) {
	r := run(t, badOrGood)
	r.Close()
	if _, err := limited(r, time.Second, "ls"); !errors.Is(err, ErrClosed) {
		t.Errorf("it gave %v", err)
	}
	again := r.p.Handler(Main, Options{}) // a firing that had begun may open it once more
	defer again.Close()
	if d, err := again.Handle(context.Background(), bash("ls")); err != nil || d.Reason != "good" {
		t.Errorf("again: %+v, %v", d, err)
	}
}

func TestMistakesAreListedWithTheirPlaces(t *testing.T) {
	dir := files(t, map[string]string{
		"hook.ts":  "import a from './a';\nimport b from './missing';\nimport fs from 'node:http';\nexport default () => a(b, fs);\n",
		"a.ts":     "export default (x, y) => {\n  return x +;\n};\n",
		"allow.ts": "export const allow = [secret()];\n",
	})
	_, err := Build(filepath.Join(dir, "hook.ts"), "")
	if err == nil {
		t.Fatal("it was built")
	}
	for _, want := range []string{"a.ts:2:13: Unexpected", `hook.ts:2:15: Could not resolve "./missing"; there is no such file`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if _, err := Build(filepath.Join(dir, "allow.ts"), ""); err == nil || !strings.Contains(err.Error(), "allow must be a list of plain texts") {
		t.Errorf("allow: %v", err)
	}
}

func TestACallThatIsTooLateNamesItsScript(t *testing.T) {
	r := run(t, "export default () => {};")
	m := &machine{p: r.p}
	err := m.tooLate(&call{ctx: context.Background()})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "hook.ts: ") {
		t.Errorf("it says %v", err)
	}
}

// Hooks without end are refused where they are registered.
func TestAScriptHasABoundedNumberOfHooks(t *testing.T) {
	r := run(t, "import { on } from 'hookway';\nfor (let i = 0; i < 10000; i++) on('SessionStart', () => {});\n")
	if _, err := r.Handle(context.Background(), bash("ls")); err == nil || !strings.Contains(err.Error(), "more than 1000 hooks") {
		t.Errorf("the error is %v", err)
	}
}
