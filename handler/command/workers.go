package command

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxWorkers bounds how many processes one handler has for owners with
// different environments.
const maxWorkers = 8

// workers keeps a worker for each environment that events come from, the one
// that was used last in front.
type workers struct {
	c *Config

	mu     sync.Mutex
	list   []*kept
	freed  chan struct{} // closed when a worker became idle; made by who waits for that
	closed bool
	past   Stats   // of workers that have ended
	going  []*kept // that are being ended
	ending sync.WaitGroup
	errs   []error // of ending them
}

// kept is a worker and how many calls use it.
type kept struct {
	*worker
	key   string
	calls int
}

func newWorkers(c *Config) *workers { return &workers{c: c} }

// ask has the worker of the context's environment decide.
func (ws *workers) ask(ctx context.Context, event [][]byte) ([]byte, error) {
	base := environOf(ctx).forWorker(ws.c.Needs)
	k, err := ws.take(ctx, base)
	if err != nil {
		return nil, err
	}
	defer ws.give(k)
	return k.ask(ctx, event)
}

// take finds or makes a worker. Where there are as many as there may be and all
// of them work, it waits for one to be idle.
func (ws *workers) take(ctx context.Context, base *environment) (*kept, error) {
	key := base.key()
	for {
		ws.mu.Lock()
		k, err := ws.find(key, base)
		freed := ws.freed
		if k == nil && err == nil && freed == nil {
			freed = make(chan struct{})
			ws.freed = freed
		}
		ws.mu.Unlock()
		if k != nil || err != nil {
			return k, err
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// find returns the worker of a key, a new one in place of the idle one that was
// not used for the longest time, or nil if none is idle. The lock is held.
func (ws *workers) find(key string, base *environment) (*kept, error) {
	if ws.closed {
		return nil, ErrClosed
	}
	at := -1
	for i, k := range ws.list {
		if k.key == key {
			at = i
		}
	}
	if at < 0 {
		if len(ws.list) == maxWorkers && !ws.endIdle() {
			return nil, nil
		}
		at = len(ws.list)
		ws.list = append(ws.list, &kept{worker: newWorker(ws.c, base), key: key})
	}
	k := ws.list[at]
	copy(ws.list[1:at+1], ws.list[:at])
	ws.list[0] = k
	k.calls++
	return k, nil
}

// endIdle ends the idle worker that was not used for the longest time, in the
// background. The lock is held.
func (ws *workers) endIdle() bool {
	for i := len(ws.list) - 1; i >= 0; i-- {
		k := ws.list[i]
		if k.calls > 0 {
			continue
		}
		ws.list = append(ws.list[:i], ws.list[i+1:]...)
		ws.end(k)
		return true
	}
	return false
}

// end closes a worker in the background. The lock is held.
func (ws *workers) end(k *kept) {
	ws.going = append(ws.going, k)
	ws.ending.Go(func() {
		err := k.close()
		ws.mu.Lock()
		defer ws.mu.Unlock()
		ws.past.add(k.counts())
		ws.going = slices.DeleteFunc(ws.going, func(other *kept) bool { return other == k })
		ws.errs = append(ws.errs, err)
	})
}

// give ends a call.
func (ws *workers) give(k *kept) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if k.calls--; k.calls == 0 && ws.freed != nil {
		close(ws.freed)
		ws.freed = nil
	}
}

// close ends all workers, and waits for that.
func (ws *workers) close() error {
	ws.mu.Lock()
	ws.closed = true
	for _, k := range ws.list {
		ws.end(k)
	}
	ws.list = nil
	if ws.freed != nil {
		close(ws.freed)
		ws.freed = nil
	}
	ws.mu.Unlock()
	ws.ending.Wait()
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return errors.Join(ws.errs...)
}

// stats counts what happened to all of them.
func (ws *workers) stats() Stats {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	out := ws.past
	for _, k := range slices.Concat(ws.list, ws.going) {
		out.add(k.counts())
	}
	return out
}

func (s *Stats) add(more Stats) {
	s.Starts += more.Starts
	s.Deaths += more.Deaths
	s.Hangs += more.Hangs
	s.Late += more.Late
	s.Unmatched += more.Unmatched
	s.Noise += more.Noise
}
