package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// memoryPages is what an instance may have, in pages of 64 KiB.
const memoryPages = 1024

// features are those of WebAssembly 2 without reference types, with which a guest
// could grow a table, which no limit of the memory holds.
const features = api.CoreFeaturesV2 &^ api.CoreFeatureReferenceTypes

const wasiModule, hostModule = wasi_snapshot_preview1.ModuleName, "hookway"

// engine is a module that was compiled, and what its instances share.
type engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil: none
	module  wazero.CompiledModule
	root    *os.Root // nil: it may not read files
}

func (e *engine) close() error {
	ctx := context.Background()
	errs := []error{e.runtime.Close(ctx)}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	if e.root != nil {
		errs = append(errs, e.root.Close())
	}
	return errors.Join(errs...)
}

// ready returns the compiled module. The first call compiles it; that goes on when
// the call has no time left, so that a later one finds it done.
func (h *Handler) ready(ctx context.Context) (*engine, error) {
	h.mu.Lock()
	if h.compiled == nil {
		h.compiled = make(chan struct{})
		h.under.Add(1) // the call that asks is noted, so Close does not wait yet, or still waits
		go func() {
			defer h.under.Done()
			defer close(h.compiled)
			h.engine, h.failed = h.compile()
		}()
	}
	h.mu.Unlock()
	select {
	case <-h.compiled:
		return h.engine, h.failed
	case <-ctx.Done():
		return nil, h.ending(ctx)
	}
}

// compile compiles the module, by what is in the cache if there is one. A cache
// that cannot be used costs time, no hook.
func (h *Handler) compile() (*engine, error) {
	if h.c.Cache == "" {
		return h.build(nil)
	}
	cache, err := openCache(h.c.Cache)
	if err != nil {
		h.log("what it is compiled to cannot be kept: " + err.Error())
		return h.build(nil)
	}
	e, err := h.build(cache)
	if err == nil {
		return e, nil
	}
	_ = cache.Close(context.Background()) // nothing was made of it
	e, plain := h.build(nil)
	if plain != nil {
		return nil, plain
	}
	h.log(fmt.Sprintf("what was kept of its compilation cannot be used (%v); it was compiled anew, and the next time it is kept again", err))
	clearCache(h.c.Cache)
	return e, nil
}

// openCache opens the folder, to which no other user may write.
func openCache(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	prune(dir)
	return wazero.NewCompilationCacheWithDir(dir)
}

// maxKept is how many compiled modules are kept.
const maxKept = 64

// prune empties a cache that has grown too large: modules change, and what they
// were stays.
func prune(dir string) {
	if files, err := filepath.Glob(filepath.Join(dir, "*", "*")); err == nil && len(files) > maxKept {
		clearCache(dir)
	}
}

// clearCache takes out what wazero has written.
func clearCache(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "wazero-") {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // what stays is written over
		}
	}
}
