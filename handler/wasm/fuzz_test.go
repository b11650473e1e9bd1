package wasm

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// FuzzParse: whatever is in a file, it is refused or compiled. What is metered is
// valid if it was valid before, and only then: a module that became valid by what
// was added to it would be using that.
func FuzzParse(f *testing.F) {
	for _, code := range corpus(f) {
		f.Add(code)
		f.Add(code[:len(code)/2])
	}
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x01\xff\xff\xff\xff\x0f"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x01\x05\xff\xff\xff\xff\x0f"))
	// The compiler works on what the interpreter has found valid.
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features).WithMemoryLimitPages(memoryPages))
	f.Cleanup(func() { r.Close(ctx) })
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		f.Fatal(err)
	}
	valid := func(code []byte) error {
		m, err := r.CompileModule(ctx, code)
		if err == nil {
			err = m.Close(ctx)
		}
		return err
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		m, err := Parse("hook.wasm", code)
		if err != nil {
			return
		}
		if bytes.Equal(m.code, code) {
			t.Fatal("it was not changed")
		}
		before, after := valid(code), valid(m.code)
		if (before == nil) != (after == nil) {
			t.Fatalf("before: %v\nmetered: %v", before, after)
		}
		if before != nil {
			return
		}
		h := New(m, Config{})
		defer h.Close()
		if e, err := h.compile(); err != nil {
			t.Errorf("it is valid, and cannot be compiled: %v", err)
		} else if err := e.close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzFunction: a function computes the same, metered or not.
func FuzzFunction(f *testing.F) {
	for _, function := range byHand {
		f.Add(function, uint32(3))
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(features).WithMemoryLimitPages(memoryPages))
	f.Cleanup(func() { r.Close(ctx) })
	f.Fuzz(func(t *testing.T, function []byte, n uint32) {
		code := assembleHand(function)
		m, err := Parse("hook.wasm", code)
		if err != nil {
			return
		}
		metered, err := r.InstantiateWithConfig(ctx, m.code, wazero.NewModuleConfig().WithName(""))
		plain, before := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithName(""))
		if (err == nil) != (before == nil) {
			t.Fatalf("before: %v\nmetered: %v", before, err)
		}
		if err != nil {
			return
		}
		defer metered.Close(ctx)
		defer plain.Close(ctx)
		stop := metered.ExportedGlobal(stopGlobal).(api.MutableGlobal)
		timer := time.AfterFunc(20*time.Millisecond, func() { stop.Set(1) })
		got, err := metered.ExportedFunction("f").Call(ctx, uint64(n))
		if !timer.Stop() || int32(metered.ExportedGlobal(roomGlobal).Get()) < 0 {
			return // it is without end
		}
		want, before := plain.ExportedFunction("f").Call(ctx, uint64(n))
		switch {
		case !slices.Equal(got, want):
			t.Errorf("it computes %v, %v; before %v, %v", got, err, want, before)
		case (err == nil) != (before == nil):
			t.Errorf("(err == nil): got %v, want %v", (err == nil), (before == nil))
		case err != nil && firstLine(err.Error()) != firstLine(before.Error()):
			t.Errorf("it computes %v, %v; before %v, %v", got, err, want, before)
		}
	})
}
