package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/hookway/hookway/handler/wasm/testdata/wat"
	"github.com/hookway/hookway/internal/logline"
)

// around is a hook that has more functions.
func around(functions string) string {
	return strings.Replace(module(allows), "(func $handle", functions+"\n(func $handle", 1)
}

// programs compute f(n), in all ways that a function may end.
var programs = map[string]string{
	"a recursion": around(strings.Replace(fib, "(func $fib", `(func $fib (export "f")`, 1)),
	"a loop": around(`(func (export "f") (param $n i32) (result i32) (local $sum i32)
  local.get $n i32.const 1 i32.add local.set $n
  loop $on
    local.get $n local.get $sum i32.add local.set $sum
    local.get $n i32.const 1 i32.sub local.tee $n
    br_if $on
  end
  local.get $sum)`),
	"loops in loops, left by return": around(`(func (export "f") (param $n i32) (result i32) (local $i i32) (local $j i32)
  block $out
    loop $rows
      i32.const 0 local.set $j
      loop $columns
        local.get $i local.get $j i32.mul i32.const 42 i32.eq
        if local.get $i i32.const 100 i32.mul local.get $j i32.add return end
        local.get $j i32.const 1 i32.add local.tee $j
        local.get $n i32.lt_u br_if $columns
      end
      local.get $i i32.const 1 i32.add local.tee $i
      local.get $n i32.lt_u br_if $rows
      br $out
    end
  end
  i32.const -1)`),
	"several results": around(`(func $three (param $n i32) (result i32 i32 i64)
  local.get $n i32.const 7 i32.gt_u
  if local.get $n i32.const 1 i64.const 2 return end
  i32.const 5 local.get $n i64.const 9)
(func (export "f") (param $n i32) (result i32)
  local.get $n call $three i32.wrap_i64 i32.add i32.add)`),
	"no result": around(`(func $add (param $n i32)
  local.get $n i32.const 3 i32.lt_u if return end
  global.get $n local.get $n i32.add global.set $n)
(func (export "f") (param $n i32) (result i32)
  local.get $n call $add local.get $n call $add global.get $n)`),
	"memory": around(`(func (export "f") (param $n i32) (result i32)
  i32.const 4096 local.get $n i32.const 64 memory.fill
  i32.const 8192 i32.const 4096 i32.const 64 memory.copy
  i32.const 8192 i32.load)`),
	"a trap": around(`(func (export "f") (param $n i32) (result i32)
  local.get $n i32.const 8 i32.gt_u if unreachable end i32.const 64 local.get $n i32.div_u)`),
	"a start": around(`(func $begin i32.const 1000 global.set $n) (start $begin)
(func (export "f") (param $n i32) (result i32) global.get $n local.get $n i32.add)`),
}

// byHand are functions of (i32) i32 with instructions that the assembler of the
// tests does not know. Type 3 is func(i32) i32, type 4 func(i32, i32) (i32, i32),
// and the table has functions 2 and 0.
var byHand = map[string][]byte{
	"br_table": {0, // block block block (br_table 0 1 2 (n)) 10 return end 20 return end 30
		0x02, 0x40, 0x02, 0x40, 0x02, 0x40, 0x20, 0, 0x0e, 2, 0, 1, 2, 0x0b, 0x41, 10, 0x0f, 0x0b, 0x41, 20, 0x0f, 0x0b, 0x41, 30, 0x0b},
	"br out of the function": {0, 0x02, 0x7f, 0x20, 0, 0x20, 0, 0x0d, 1, 0x0b, 0x41, 1, 0x6a, 0x0b},
	"a block that takes":     {0, 0x20, 0, 0x41, 5, 0x02, 4, 0x6a, 0x41, 1, 0x0b, 0x6b, 0x0b},
	"else":                   {0, 0x20, 0, 0x04, 0x7f, 0x41, 1, 0x05, 0x41, 2, 0x0b, 0x0b},
	"vectors": {0, // i32x4.splat, i8x16.shuffle, i32x4.extract_lane
		0x20, 0, 0xfd, 17, 0x20, 0, 0xfd, 17, 0xfd, 13, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 0xfd, 0x1b, 1, 0x0b},
	"vectors in memory": {0, // v128.store, v128.load8_lane, v128.const
		0x41, 0, 0x20, 0, 0xfd, 15, 0xfd, 11, 4, 0, 0x41, 2, 0xfd, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0xfd, 84, 0, 0, 3, 0xfd, 0x1b, 0, 0x0b},
	"floats": {0, // f32.const, f64.const, saturating
		0x43, 0, 0, 0x80, 0x3f, 0xfc, 0, 0x44, 0, 0, 0, 0, 0, 0, 0x24, 0x40, 0xfc, 2, 0x6a, 0x20, 0, 0x6a, 0x0b},
	"call_indirect": {0, 0x20, 0, 0x41, 1, 0x11, 3, 0, 0x0b},
	"null":          {0, 0x20, 0, 0x41, 7, 0x11, 3, 0, 0x0b},
	"locals":        {2, 3, 0x7f, 1, 0x7e, 0x20, 0, 0x22, 3, 0x21, 1, 0x20, 1, 0x20, 3, 0x6a, 0x0b},
	"unreachable":   {0, 0x20, 0, 0x04, 0x40, 0x00, 0x41, 1, 0x0f, 0x0b, 0x20, 0, 0x0c, 0, 0x0f, 0x0b},
}

// assembleHand is a hook with one function more, exported as f.
func assembleHand(function []byte) []byte {
	section := func(id byte, parts ...[]byte) []byte {
		body := slices.Concat(parts...)
		return slices.Concat([]byte{id}, unsigned(uint32(len(body))), body)
	}
	size := unsigned(uint32(len(function)))
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{5, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 2, 0x7f, 0x7f}),
		section(3, []byte{3, 0, 1, 0}), section(4, []byte{1, 0x70, 0, 8}), section(5, []byte{1, 0, 1}),
		section(7, []byte("\x04\x06memory\x02\x00\x0dhookway_alloc\x00\x00\x0ehookway_handle\x00\x01\x01f\x00\x02")),
		section(9, []byte{1, 0, 0x41, 0, 0x0b, 2, 2, 0}),
		section(10, []byte{3, 5, 0, 0x41, 0x80, 8, 0x0b, 4, 0, 0x42, 0, 0x0b}, size, function))
}

// corpus are modules that the rewriting must leave as they are in all they do.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, text := range programs {
		m, err := wat.Assemble(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = m
	}
	for name, function := range byHand {
		all[name] = assembleHand(function)
	}
	for _, file := range []string{guard, rustGuard} {
		m, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = m
	}
	return all
}

// computes runs f(n) of a module for some n, and says what came of each.
func computes(t *testing.T, code []byte) (out []string) {
	t.Helper()
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(features))
	defer r.Close(ctx)
	for n := range uint64(12) {
		m, err := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions(startFunction))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.ExportedFunction("f").Call(ctx, n)
		failed := ""
		if err != nil {
			failed = firstLine(err.Error())
		}
		out = append(out, fmt.Sprint(got, failed))
	}
	return out
}

func TestAMeteredModuleComputesTheSame(t *testing.T) {
	for name, code := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			m, err := Parse("hook.wasm", code)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(m.code, code) {
				t.Error("it was not changed")
			}
			if strings.HasSuffix(name, ".wasm") {
				return // it has no f
			}
			want, got := computes(t, code), computes(t, m.code)
			if !slices.Equal(got, want) {
				t.Errorf("it computes\n%q, and did\n%q", got, want)
			}
		})
	}
}

// TestAModuleCannotReachWhatIsAddedToIt: a guest that set the counter would never
// be stopped.
func TestAModuleCannotReachWhatIsAddedToIt(t *testing.T) {
	for name, text := range map[string]string{
		"sets a global":    around(`(func i32.const 9 global.set 1)`),
		"gets a global":    around(`(func global.get 2 drop)`),
		"calls a function": around(`(func call 9)`),
		"exports the name": strings.Replace(module(allows), "(func $deep", `(func $deep (export "hookway:stop")`, 1),
	} {
		code, err := wat.Assemble(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("hook.wasm", code); err == nil || !strings.Contains(err.Error(), "does not have") && !strings.Contains(err.Error(), "hookway's own name") {
			t.Errorf("%s: it gave %v", name, err)
		}
	}
}

// TestAModuleNamesOnlyWhatItHas: index 3 is that of the function that is added.
func TestAModuleNamesOnlyWhatItHas(t *testing.T) {
	good := assembleHand(byHand["else"])
	for name, change := range map[string][2]string{
		"an export":         {"\x01f\x00\x02", "\x01f\x00\x03"},
		"a global's export": {"\x01f\x00\x02", "\x01f\x03\x00"},
		"an element":        {"\x0b\x02\x02\x00", "\x0b\x02\x03\x00"},
	} {
		code := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(code, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := Parse("hook.wasm", code); !errors.Is(err, errForeign) {
			t.Errorf("%s: it gave %v", name, err)
		}
	}
}

// TestWhatTakesTooLongToCompileIsRefused: nothing could stop it.
func TestWhatTakesTooLongToCompileIsRefused(t *testing.T) {
	blocks := func(n int) []byte {
		return slices.Concat([]byte{1, 0xb8, 0x17, 0x7f}, bytes.Repeat([]byte{0x20, 0, 0x04, 0x40, 0x0b}, n), []byte{0x41, 0, 0x0b}) // 3000 locals
	}
	for want, function := range map[string][]byte{
		"it has 4294967295 locals; a function has at most 10000":          {1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x41, 0, 0x0b},
		"it has 10000 branches with 3002 variables":                       blocks(10000),
		"a function has at most 256, because nothing can stop":            slices.Concat([]byte{0}, bytes.Repeat([]byte{0x01}, maxCode), []byte{0x41, 0, 0x0b}),
		"it has more than 1000 blocks in blocks":                          slices.Concat([]byte{0}, bytes.Repeat([]byte{0x02, 0x40}, 2000), bytes.Repeat([]byte{0x0b}, 2000), []byte{0x41, 0, 0x0b}),
		"it is broken WebAssembly: function 2: it ends too early":         {0, 0x02, 0x40, 0x0b},
		"it is broken WebAssembly: function 2: something follows its end": {0, 0x41, 0, 0x0b, 0x0b},
		"it branches to a block that there is not":                        {0, 0x41, 0, 0x0c, 1, 0x0b},
		"it has an instruction that is not of WebAssembly 2":              {0, 0x12, 0, 0x0b}, // a tail call
	} {
		if _, err := Parse("hook.wasm", assembleHand(function)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it gave %v, want %q", err, want)
		}
	}
	if _, err := Parse("hook.wasm", assembleHand(blocks(200))); err != nil {
		t.Errorf("some blocks gave %v", err)
	}
	many := slices.Concat([]byte("\x00asm\x01\x00\x00\x00\x03"), unsigned(5), unsigned(1<<28), []byte{0})
	if _, err := Parse("hook.wasm", many); err == nil || !strings.Contains(err.Error(), "268435456 entries; a hook has at most 100000") {
		t.Errorf("a great number of functions gave %v", err)
	}
}

// TestAGuestDoesNotHoldUpTheCollector: a collection waits until all goroutines are
// where they can be stopped, which code that was compiled by wazero never is.
func TestAGuestDoesNotHoldUpTheCollector(t *testing.T) {
	for name, body := range map[string]string{
		"in a loop":      "loop $on\n br $on\n end\n" + allows,
		"in a recursion": "i32.const 90 call $fib drop\n" + allows,
		"in memory":      "loop $on\n i32.const 0 i32.const 1 i32.const 65536 memory.fill br $on\n end\n" + allows,
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(module("i32.const 16 i32.const 5 call $log\n"+body), "(func $handle", fib+"(func $handle", 1)
			begun := make(chan struct{})
			h := open(t, assemble(t, strings.Replace(text, "(memory", logImport+"(memory", 1)), Config{Log: logline.New(func(string) { close(begun) })})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			failed := make(chan error, 1)
			go func() { _, err := h.Handle(ctx, bash("ls")); failed <- err }()
			select {
			case <-begun:
			case err := <-failed:
				t.Fatal(err)
			}
			for range 3 {
				runtime.GC() // without end, if the guest is not interrupted
			}
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("it gave %v", err)
			}
		})
	}
}

func TestTheStackEnds(t *testing.T) {
	h := open(t, assemble(t, module("i32.const 0 call $deep drop\n"+allows)), Config{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := h.Handle(t.Context(), bash("ls")); err == nil || !strings.Contains(err.Error(), "it trapped: stack overflow in function 1") {
		t.Errorf("it gave %v", err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 3*stackRoom { // it doubles as it grows
		t.Errorf("it took %d MiB", used>>20)
	}
}
