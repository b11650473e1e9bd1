package wasm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Bounds of instances.
const (
	maxInstances = 8
	keptMemory   = 16 << 20         // an instance with more is not used again: its memory never shrinks
	startTime    = 10 * time.Second // to initialise one
)

// instance is a module that was begun. One goroutine at a time uses it.
type instance struct {
	h      *Handler
	module api.Module
	memory api.Memory
	alloc  api.Function
	handle api.Function
	stack  [2]uint64

	ctx     context.Context // of the call
	out     output
	err     output
	fetched []byte // what read gives
}

// instanceKey finds the instance that a host function is called by.
type instanceKey struct{}

// take gives an instance that nobody uses.
func (h *Handler) take(ctx context.Context) (*instance, error) {
	h.mu.Lock()
	if n := len(h.idle); n > 0 {
		i := h.idle[n-1]
		h.idle = h.idle[:n-1]
		h.mu.Unlock()
		return i, nil
	}
	h.mu.Unlock()
	e, err := h.ready(ctx)
	if err != nil {
		return nil, err
	}
	return h.begin(ctx, e)
}

// give puts an instance back, unless it is too large to be kept.
func (h *Handler) give(i *instance) {
	i.ctx = nil
	if i.memory.Size() > keptMemory || i.module.IsClosed() {
		i.close()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle, i)
}

// begin makes an instance, and initialises it.
func (h *Handler) begin(outer context.Context, e *engine) (*instance, error) {
	ctx, cancel := context.WithTimeout(outer, startTime)
	defer cancel()
	i := &instance{h: h, ctx: ctx}
	i.out.log, i.err.log = h.log, h.log
	module, err := e.runtime.InstantiateModule(context.WithValue(ctx, instanceKey{}, i), e.module, i.config(e))
	if err != nil {
		i.flush()
		switch {
		case outer.Err() != nil:
			return nil, h.ending(outer)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("it did not begin within %v; look for a loop without end in what it does at its start", startTime)
		}
		return nil, i.explain(fmt.Errorf("it cannot begin: %w", err))
	}
	i.module, i.memory = module, module.Memory()
	i.alloc, i.handle = module.ExportedFunction(exported[0].name), module.ExportedFunction(exported[1].name)
	return i, nil
}

// config is what the instance is given.
func (i *instance) config(e *engine) wazero.ModuleConfig {
	c := wazero.NewModuleConfig().WithName("").WithArgs(i.h.label()).WithStartFunctions("_initialize").
		WithStdout(&i.out).WithStderr(&i.err).WithRandSource(rand.Reader).
		WithSysWalltime().WithSysNanotime().WithNanosleep(i.sleep)
	for _, variable := range i.h.c.Env {
		name, value := cut(variable)
		c = c.WithEnv(name, value)
	}
	switch {
	case i.h.c.Write:
		c = c.WithFSConfig(wazero.NewFSConfig().WithDirMount(i.h.c.Root, "/"))
	case e.root != nil:
		c = c.WithFSConfig(wazero.NewFSConfig().WithFSMount(e.root.FS(), "/"))
	}
	return c
}

// sleep is the guest's; it ends with the call.
func (i *instance) sleep(ns int64) {
	t := time.NewTimer(time.Duration(ns))
	defer t.Stop()
	select {
	case <-t.C:
	case <-i.ctx.Done():
	}
}

// ask is one call: the event goes into the guest's memory, and its answer comes
// out of it.
func (i *instance) ask(ctx context.Context, event [][]byte) ([]byte, error) {
	i.ctx, i.err.first = ctx, ""
	defer i.flush()
	ctx = context.WithValue(ctx, instanceKey{}, i)
	size := 0
	for _, part := range event {
		size += len(part)
	}
	if size > math.MaxInt32 {
		return nil, errors.New("the event is too large for it")
	}
	i.stack[0] = api.EncodeU32(uint32(size))
	if err := i.alloc.CallWithStack(ctx, i.stack[:]); err != nil {
		return nil, err
	}
	at := api.DecodeU32(i.stack[0])
	if uint64(at)+uint64(size) > uint64(i.memory.Size()) {
		return nil, fmt.Errorf("hookway_alloc gave %#x for %d bytes, which is outside its memory of %d bytes", at, size, i.memory.Size())
	}
	if at == 0 {
		return nil, fmt.Errorf("hookway_alloc gave 0: it has no memory for an event of %d bytes", size)
	}
	to := at
	for _, part := range event {
		i.memory.Write(to, part) // the bounds were checked
		to += uint32(len(part))
	}
	i.stack[0], i.stack[1] = api.EncodeU32(at), api.EncodeU32(uint32(size))
	if err := i.handle.CallWithStack(ctx, i.stack[:]); err != nil {
		return nil, err
	}
	return i.answer(uint32(i.stack[0]>>32), uint32(i.stack[0]))
}

// answer copies what the guest answered.
func (i *instance) answer(at, size uint32) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	if size > maxAnswer {
		return nil, fmt.Errorf("hookway_handle gave an answer of %d bytes; an answer is one small object of at most %d MiB", size, maxAnswer>>20)
	}
	view, ok := i.memory.Read(at, size)
	if !ok {
		return nil, fmt.Errorf("hookway_handle gave an answer of %d bytes at %#x, which is outside its memory of %d bytes", size, at, i.memory.Size())
	}
	return append([]byte(nil), view...), nil
}

// flush logs lines that the guest has not ended.
func (i *instance) flush() {
	i.out.flush()
	i.err.flush()
}

func (i *instance) close() {
	_ = i.module.Close(context.Background()) // it gives memory back, which cannot fail
}
