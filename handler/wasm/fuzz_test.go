package wasm

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
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
