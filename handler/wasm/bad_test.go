package wasm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/handler/wasm/testdata/wat"
	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
)

// module is one whose hookway_handle has the given body, and whose
// hookway_alloc gives 1024.
func module(body string) string {
	return `(module
  (memory (export "memory") 1)
  (global $n (mut i32) (i32.const 0))
  (data (i32.const 16) "{\"action\":\"allow\"}")
  (func (export "hookway_alloc") (param $size i32) (result i32) i32.const 1024)
  (func $deep (param $n i32) (result i32) local.get $n call $deep i32.const 1 i32.add)
  (func $handle (export "hookway_handle") (param $at i32) (param $size i32) (result i64)
` + body + `))`
}

const allows = "i64.const 0x1000000012"

func TestWhatIsNoHookIsRefusedBeforeItIsCompiled(t *testing.T) {
	assembled := func(text string) []byte {
		m, err := wat.Assemble(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const memory = `(memory (export "memory") 1)`
	const alloc = `(func (export "hookway_alloc") (param i32) (result i32) i32.const 8)`
	const handle = `(func (export "hookway_handle") (param i32 i32) (result i64) i64.const 0)`
	for name, c := range map[string]struct {
		module []byte
		want   string
	}{
		"not wasm":          {[]byte("#!/bin/sh\nexit 0\n"), "not WebAssembly; "},
		"empty":             {nil, "not WebAssembly; "},
		"a component":       {[]byte("\x00asm\x0d\x00\x01\x00"), "not a core module"},
		"no exports":        {[]byte("\x00asm\x01\x00\x00\x00"), "it does not export its memory"},
		"no alloc":          {assembled(`(module ` + memory + handle + `)`), "it does not export hookway_alloc; a hook exports hookway_alloc(i32) i32 and hookway_handle(i32, i32) i64"},
		"no handle":         {assembled(`(module ` + memory + alloc + `)`), "it does not export hookway_handle"},
		"no memory":         {assembled(`(module (memory 1) ` + alloc + handle + `)`), "it does not export its memory"},
		"wrong signature":   {assembled(`(module ` + memory + alloc + `(func (export "hookway_handle") (param i32) (result i32) i32.const 0))`), "hookway_handle is func(i32) i32; it must be func(i32, i32) i64"},
		"a program":         {assembled(`(module ` + memory + `(func (export "_start")))`), "it does not export hookway_alloc"},
		"an unknown import": {assembled(`(module (import "env" "abort" (func)) ` + memory + alloc + handle + `)`), "it imports env.abort, which nothing here gives"},
		"an unknown name":   {assembled(`(module (import "hookway" "exec" (func)) ` + memory + alloc + handle + `)`), "it imports hookway.exec, which there is not"},
		"an unknown WASI":   {assembled(`(module (import "wasi_snapshot_preview1" "fd_dance" (func)) ` + memory + alloc + handle + `)`), "it imports wasi_snapshot_preview1.fd_dance, which there is not here"},
		"a wrong WASI":      {assembled(`(module (import "wasi_snapshot_preview1" "fd_write" (func (param i64))) ` + memory + alloc + handle + `)`), "it imports wasi_snapshot_preview1.fd_write as func(i64); it is func(i32, i32, i32, i32) i32"},
		"a wrong import":    {assembled(`(module (import "hookway" "log" (func (param i64) (result i32))) ` + memory + alloc + handle + `)`), "it imports hookway.log as func(i64) i32; it is func(i32, i32)"},
		"4 GiB of memory":   {assembled(`(module (memory (export "memory") 65536) ` + alloc + handle + `)`), "it wants 4096 MiB of memory to begin with; a hook has at most 64"},
		"a huge table":      {assembled(`(module (table 4000000000 funcref) ` + memory + alloc + handle + `)`), "it wants a table of 4000000000 entries"},
		"cut off":           {assembled(module(allows))[:60], "it is broken WebAssembly: it ends too early"},
		"huge":              {make([]byte, MaxFile+1), "it has more than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, c.module)
			_, err := Read(file)
			switch {
			case err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), file):
				t.Errorf("it gave %v, want %q with the file's name", err, c.want)
			case strings.Contains(err.Error(), "\n"):
				t.Errorf("it gave %v, want %q with the file's name", err, c.want)
			}
		})
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder gave %v", err)
	}
	if _, err := Read("/nowhere/hook.wasm"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gave %v", err)
	}
}

func TestAnImportIsAFunction(t *testing.T) {
	err := (&outline{}).check(imported{module: hostModule, name: "log", what: 3})
	if err == nil || err.Error() != "it imports hookway.log as something else than a function; it is func(i32, i32)" {
		t.Errorf("a global gave %v", err)
	}
}

func TestAHostFunctionThatRefusesIsToldPlainly(t *testing.T) {
	h := open(t, assemble(t, `(module
  (import "hookway" "log" (func $log (param i32 i32)))
  (memory (export "memory") 1)
  (func (export "hookway_alloc") (param i32) (result i32) i32.const 8)
  (func (export "hookway_handle") (param i32 i32) (result i64) i32.const -1 i32.const 9 call $log i64.const 0))`), Config{})
	_, err := h.Handle(t.Context(), bash("ls"))
	if want := "hook.wasm: it handed a text of 9 bytes at 0xffffffff, which is outside its memory in "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("it gave %v, want %s…", err, want)
	}
}

// TestAFailureIsOneErrorAndTheNextEventWorks: the module fails at its first event
// only, as far as it gets to answer a second one.
func TestAFailureIsOneErrorAndTheNextEventWorks(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"a trap":                       {"unreachable", "hook.wasm: it trapped: unreachable in function 2"},
		"a recursion":                  {"i32.const 0 call $deep drop", "stack overflow"},
		"an answer outside its memory": {"i64.const 0x7fffffff00000010 return", "hookway_handle gave an answer of 16 bytes at 0x7fffffff, which is outside its memory of 65536 bytes"},
		"an answer of 4 GiB":           {"i64.const 0x10ffffffff return", "hookway_handle gave an answer of 4294967295 bytes"},
		"a read outside its memory":    {"i32.const -1 i32.load drop", "it trapped: out of bounds memory access"},
		"an answer that is not JSON":   {"i64.const 0x1100000003 return", "ac"},
	} {
		t.Run(name, func(t *testing.T) {
			// An event of more than 512 bytes is the one that fails.
			h := open(t, assemble(t, module("local.get $size\n i32.const 512\n i32.gt_u\n if\n"+c.body+"\n end\n"+allows)), Config{})
			before := runtime.NumGoroutine()
			for range 3 {
				_, err := h.Handle(t.Context(), bash(strings.Repeat("x", 400)))
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("it gave %v, want %q", err, c.want)
				}
				if d := decide(t, h, "ls"); d.Action.String() != "allow" {
					t.Fatalf("the next event: %+v", d)
				}
			}
			eventually.Goroutines(t, before)
		})
	}
}

func TestALoopIsStoppedWhenItsTimeIsOver(t *testing.T) {
	const loop = "loop $on\n br $on\n end\n"
	for name, text := range map[string]string{
		"in hookway_handle": module(loop + allows),
		"in hookway_alloc":  strings.Replace(module(allows), "i32.const 1024)", loop+" i32.const 1024)", 1),
		"at its start":      strings.Replace(module(allows), "(func $handle", "(func $begin "+loop+")\n(start $begin)\n(func $handle", 1),
		"in a recursion":    strings.Replace(module("i32.const 90 call $fib drop\n"+allows), "(func $handle", fib+"(func $handle", 1),
		"in what it prints": strings.Replace(strings.Replace(module(loop+allows), loop, printing, 1), "(memory", logImport+"(memory", 1),
		"in _initialize":    strings.Replace(module(allows), "(func $handle", "(func (export \"_initialize\") "+loop+")\n(func $handle", 1),
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, assemble(t, text), Config{})
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := h.Handle(ctx, bash("ls")); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "hook.wasm: it was stopped when its time was over") {
				t.Errorf("at its deadline it gave %v", err)
			}
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			if _, err := h.Handle(ctx, bash("ls")); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled it gave %v", err)
			}
			eventually.Goroutines(t, before)
		})
	}
}

const logImport = `(import "hookway" "log" (func $log (param i32 i32)))
`

// printing hands the log all memory again and again, without a loop in between.
var printing = "i32.const 900 memory.grow drop\nloop $on\n" + strings.Repeat("i32.const 0 i32.const 50000000 call $log\n", 500) + "br $on\n end\n"

const fib = `(func $fib (param $n i32) (result i32)
  local.get $n i32.const 2 i32.lt_u
  if local.get $n return end
  local.get $n i32.const 1 i32.sub call $fib
  local.get $n i32.const 2 i32.sub call $fib
  i32.add)
`

func TestMemoryEndsAt64MiB(t *testing.T) {
	// It grows page by page; when it gets no more, it answers by how much it has.
	h := open(t, assemble(t, module(`
    loop $more
      i32.const 1
      memory.grow
      i32.const -1
      i32.ne
      br_if $more
    end
    memory.size
    i32.const 1024
    i32.ne
    if
      unreachable
    end
    `+allows)), Config{})
	for range 3 { // each in an instance of its own: one so large is not kept
		decide(t, h, "ls")
		if len(h.idle) != 0 {
			t.Error("an instance with 64 MiB was kept")
		}
	}
	all := strings.Replace(module(allows), "i32.const 1024)", "i32.const 65535 memory.grow i32.const -1 i32.ne if unreachable end i32.const 1024)", 1)
	decide(t, open(t, assemble(t, all), Config{}), "ls") // 4 GiB at once are refused too
}

func TestAClosedHandlerStopsItsCallsAndFails(t *testing.T) {
	m, err := Read(assemble(t, module("loop $on\n br $on\n end\n"+allows)))
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	h := New(m, Config{})
	failed := make(chan error, 2*maxInstances)
	for range cap(failed) { // some of them wait for an instance
		go func() { _, err := h.Handle(context.Background(), bash("ls")); failed <- err }()
	}
	for working := false; !working; runtime.Gosched() {
		h.mu.Lock()
		working = len(h.calls) == cap(failed)
		h.mu.Unlock()
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	for range cap(failed) {
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("a call under way gave %v", err)
		}
	}
	if _, err := h.Handle(context.Background(), bash("ls")); !errors.Is(err, ErrClosed) {
		t.Errorf("a later call gave %v", err)
	}
	eventually.Goroutines(t, before)
}

func TestABrokenCacheCostsTimeAndNoHook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	decide(t, open(t, guard, Config{Cache: dir}), "ls")
	kept, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the cache holds %v, %v", kept, err)
	}
	data, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"cut":     data[:len(data)/2],
		"changed": append(bytes.Clone(data[:len(data)-8]), 1, 2, 3, 4, 5, 6, 7, 8),
		"empty":   nil,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(kept[0]), 0o700), os.WriteFile(kept[0], bad, 0o600)); err != nil {
			t.Fatal(err)
		}
		var log hooktest.Log
		if d := decide(t, open(t, guard, Config{Cache: dir, Log: log.Logger()}), "rm -rf x"); d.Action.String() != "block" {
			t.Errorf(`%s: got %+v, want d.Action.String() == "block"`, name, d)
		}
	}
	var log hooktest.Log
	notFolder := write(t, nil)
	decide(t, open(t, guard, Config{Cache: notFolder, Log: log.Logger()}), "ls")
	if !strings.Contains(log.String(), "cannot be kept") {
		t.Errorf("the log has %q", log.String())
	}
}
