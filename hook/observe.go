package hook

import (
	"context"
	"slices"
	"sync"
)

// queue feeds one observe hook: in order, bounded, with a goroutine only while
// there is something in it.
type queue struct {
	bound int // of waiting; one more is being worked on

	mu      sync.Mutex
	waiting []func()
	working bool
	dropped uint64
}

func newQueue(bound int) *queue {
	if bound == 0 {
		bound = DefaultQueue
	}
	return &queue{bound: bound}
}

// put queues work, or reports that the queue is full.
func (q *queue) put(work func(), p *pending) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !q.working:
		q.working = true
		p.add()
		go q.work(work, p)
	case len(q.waiting) >= q.bound:
		q.dropped++
		return false
	default:
		q.waiting = append(q.waiting, work)
	}
	return true
}

// work does the first piece of work, and then what has come in meanwhile.
func (q *queue) work(next func(), p *pending) {
	defer p.done()
	for next != nil {
		next()
		next = q.take()
	}
}

// take gives the oldest piece of work, or nil when there is none left.
func (q *queue) take() (next func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.working, q.waiting = false, nil
		return nil
	}
	next, q.waiting = q.waiting[0], q.waiting[1:]
	return next
}

// Settled is what came of an event, for the hooks of the observe lane, which are told
// of it when it is decided. It must not be edited.
type Settled struct {
	Verdict
	Fired AnyEvent // the event as it was before hooks changed it
}

// settledKey is the key of a Settled in a context.
type settledKey struct{}

// SettledOf gives what came of the event that a hook of the observe lane is told of;
// nil in any other call.
func SettledOf(ctx context.Context) *Settled {
	s, _ := ctx.Value(settledKey{}).(*Settled)
	return s
}

// observe hands the event, as it is now, to the hooks of the observe lane.
func (r *run) observe(v *Verdict) {
	var settled *Settled
	w := r.chain.walk(Observe, r.tool)
	for e := w.next(); e != nil; e = w.next() {
		if !r.matches(e) {
			continue
		}
		if settled == nil { // the caller may go on with its own
			settled = &Settled{Verdict: *v, Fired: r.fired}
			settled.Steps, settled.Metadata = slices.Clone(v.Steps), r.ev.Head().Metadata
		}
		engine, ctx, ev := r.e, context.WithValue(context.WithoutCancel(r.ctx), settledKey{}, settled), r.ev
		if !e.queue.put(func() { engine.show(ctx, e, ev) }, &engine.pending) {
			r.e.notify(r.notice(HookDropped, e))
		}
	}
}

// show calls one observe hook. What it answers is ignored.
func (e *Engine) show(ctx context.Context, to *entry, ev AnyEvent) {
	r := run{e: e, ctx: ctx, info: ev.Info(), ev: ev, fired: ev}
	var steps []Step
	var ignored Decision
	_ = r.call(to, ev, &steps, &ignored)
}

// Dropped counts the events that an observe hook lost because it was behind.
func (e *Engine) Dropped(id string) uint64 {
	e.mu.Lock()
	entry := e.hooks[id]
	e.mu.Unlock()
	if entry == nil || entry.queue == nil {
		return 0
	}
	entry.queue.mu.Lock()
	defer entry.queue.mu.Unlock()
	return entry.queue.dropped
}

// pending counts the goroutines that outlive a firing.
type pending struct {
	mu    sync.Mutex
	count int
	idle  chan struct{} // closed when count falls to zero; nil while nobody waits
}

func (p *pending) add() {
	p.mu.Lock()
	p.count++
	p.mu.Unlock()
}

func (p *pending) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count--; p.count == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
}

func (p *pending) wait(ctx context.Context) error {
	p.mu.Lock()
	if p.count == 0 {
		p.mu.Unlock()
		return nil
	}
	if p.idle == nil {
		p.idle = make(chan struct{})
	}
	idle := p.idle
	p.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
