package wasm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/chance"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
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
	stop   api.MutableGlobal
	room   api.Global // on its stack; below 0 it trapped for that
	stack  [2]uint64

	ctx     context.Context // of the call
	out     output
	err     output
	fetched []byte // what read gives
	spent   bool   // it was to be stopped
}

// instanceKey finds the instance that a host function is called by.
type instanceKey struct{}

// take returns an unused instance.
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
	if i.spent || i.memory.Size() > keptMemory || i.module.IsClosed() {
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
	i.out = output{log: h.log, over: i.over}
	i.err = i.out
	err := i.begin(ctx, e)
	if err == nil {
		return i, nil
	}
	i.flush()
	switch {
	case outer.Err() != nil:
		return nil, h.ending(outer)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it did not begin within %v; look for a loop without end in what it does at its start", startTime)
	}
	return nil, i.explain(fmt.Errorf("it cannot begin: %w", err))
}

// begin makes the module's own, and runs what it wants to be run first.
func (i *instance) begin(ctx context.Context, e *engine) (err error) {
	ctx = context.WithValue(ctx, instanceKey{}, i)
	if i.module, err = e.runtime.InstantiateModule(ctx, e.module, i.config(e)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			i.close()
		}
	}()
	i.memory, i.stop, i.room = i.module.Memory(), i.module.ExportedGlobal(stopGlobal).(api.MutableGlobal), i.module.ExportedGlobal(roomGlobal)
	i.alloc, i.handle = i.module.ExportedFunction(exported[0].name), i.module.ExportedFunction(exported[1].name)
	defer i.until(ctx)()
	for _, name := range []string{startFunction, "_initialize"} {
		if f := i.module.ExportedFunction(name); f != nil {
			if _, err := f.Call(ctx); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// until has the guest stopped when the context ends. What it gives ends that; an
// instance that was to be stopped meanwhile is not used again.
func (i *instance) until(ctx context.Context) func() {
	keep := context.AfterFunc(ctx, func() { i.stop.Set(1) })
	return func() { i.spent = i.spent || !keep() }
}

// config is what the instance is given.
func (i *instance) config(e *engine) wazero.ModuleConfig {
	c := wazero.NewModuleConfig().WithName("").WithArgs(i.h.label()).WithStartFunctions().
		WithStdout(&i.out).WithStderr(&i.err).WithRandSource(random{i}).
		WithSysWalltime().WithSysNanotime().WithNanosleep(i.sleep)
	if i.h.c.Past {
		c = c.WithWalltime(i.walltime, sys.ClockResolution(time.Microsecond))
	}
	for _, variable := range i.h.c.Env {
		name, value := cut(variable)
		c = c.WithEnv(name, value)
	}
	return i.mount(e, c)
}

// aheadKey finds in the context of a call how long ago its event was, when that is the time
// that modules find.
type aheadKey struct{}

// walltime is what the clock has shown then.
func (i *instance) walltime() (seconds int64, nanoseconds int32) {
	now := time.Now()
	if ahead, ok := i.ctx.Value(aheadKey{}).(time.Duration); ok {
		now = now.Add(-ahead)
	}
	return now.Unix(), int32(now.Nanosecond())
}

// over is the error of a call whose time is over.
func (i *instance) over() error { return i.ctx.Err() }

// random is the guest's source of random numbers, which gives none when the call
// is over.
type random struct{ i *instance }

func (r random) Read(p []byte) (int, error) {
	if err := r.i.ctx.Err(); err != nil {
		return 0, err
	}
	chance.Of(r.i.ctx).Read(r.i.h.label(), p)
	return len(p), nil
}

// sleep is the guest's; it ends with the call.
func (i *instance) sleep(ns int64) { _ = backoff.Sleep(i.ctx, time.Duration(ns)) }

// ask is one call: the event goes into the guest's memory, and its answer comes
// out of it.
func (i *instance) ask(ctx context.Context, event [][]byte) ([]byte, error) {
	i.ctx, i.err.first = ctx, ""
	defer i.until(ctx)()
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
