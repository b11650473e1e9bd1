package hook

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
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

// newQueue makes the queue of an observer; 0 has room for DefaultQueue events.
func newQueue(bound int) *queue {
	if bound == 0 {
		bound = DefaultQueue
	}
	return &queue{bound: bound}
}

// put queues work, or reports that the queue is full; and whether it begins at once.
func (q *queue) put(work func(), p *pending) (ok, now bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !q.working:
		q.working = true
		p.add()
		go q.work(work, p)
		return true, true
	case len(q.waiting) >= q.bound:
		q.dropped++
		return false, false
	}
	q.waiting = append(q.waiting, work)
	return true, false
}

// work does the first piece of work, and then what has come in meanwhile.
func (q *queue) work(next func(), p *pending) {
	defer p.done()
	for next != nil {
		next()
		next = q.take()
	}
}

// take returns the oldest piece of work, or nil when there is none left.
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

// Settled is the result of an event, for the hooks of the observe lane: they run
// when the other lanes have decided. It is shared, and must not be edited.
//
//	if s := hook.SettledOf(ctx); s != nil && s.Action == hook.ActionBlock {
//		blocked.Inc()
//	}
type Settled struct {
	Verdict
	Fired AnyEvent // the event as it was before hooks changed it
}

// settledKey is the key of a Settled in a context.
type settledKey struct{}

// SettledOf returns the result of the event that a hook of the observe lane is
// called with; nil in any other call.
func SettledOf(ctx context.Context) *Settled {
	s, _ := ctx.Value(settledKey{}).(*Settled)
	return s
}

// observe hands the event, as it is now, to the hooks of the observe lane. They run side
// by side, and begin in their order.
func (r *run) observe(v *Verdict) {
	var o *observing
	var last *entry
	w := r.chain.walk(Observe, r.tool)
	for e := w.next(); e != nil; e = w.next() {
		if !r.matches(e) {
			continue
		}
		if o == nil { // the caller may go on with its own
			settled := &Settled{Verdict: *v, Fired: r.fired}
			settled.Steps, settled.Metadata = slices.Clone(v.Steps), r.ev.Head().Metadata
			o = &observing{r: r, ctx: context.WithValue(context.WithoutCancel(r.ctx), settledKey{}, settled)}
		} else {
			o.begin(last, true)
		}
		last = e
	}
	if o != nil {
		o.begin(last, false)
	}
}

// observing is an event on its way to its observers.
type observing struct {
	r      *run
	ctx    context.Context
	before <-chan struct{} // closed when the observer before has begun; nil: there is none
}

// begin queues the event for an observer, behind the one before it; more says that
// others follow.
func (o *observing) begin(e *entry, more bool) {
	engine, ctx, ev, before := o.r.e, o.ctx, o.r.ev, o.before
	var begun chan struct{}
	if more {
		begun = make(chan struct{})
	}
	ok, now := e.queue.put(func() {
		if before != nil {
			<-before
		}
		if begun == nil {
			engine.show(ctx, e, ev)
			return
		}
		begin := sync.OnceFunc(func() { close(begun) })
		t := time.AfterFunc(cmp.Or(engine.begins, DefaultBegin), begin)
		engine.show(context.WithValue(ctx, begunKey{}, begin), e, ev)
		t.Stop()
		begin()
	}, &engine.pending)
	if !ok {
		o.r.e.notify(o.r.notice(HookDropped, e))
	}
	if now { // one that waits for an earlier event must not delay the next
		o.before = begun
	}
}

// DefaultBegin is how long an observer may delay the start of the next one: it
// begins then, or earlier if the handler has called Begun.
const DefaultBegin = 10 * time.Millisecond

// begunKey is for the function that Begun calls.
type begunKey struct{}

// Begun says that a handler has started to work on its event, so that the next
// observer of the event begins. Handlers that pass the event on to another process
// or goroutine call it once that has the event; for others it is optional. Outside
// of the observe lane it does nothing.
func Begun(ctx context.Context) {
	if begin, ok := ctx.Value(begunKey{}).(func()); ok {
		begin()
	}
}

// show calls one observe hook. What it answers is ignored.
func (e *Engine) show(ctx context.Context, to *entry, ev AnyEvent) {
	r := run{e: e, ctx: ctx, info: ev.Info(), ev: ev, fired: ev}
	var steps []Step
	var ignored Decision
	_ = r.call(to, ev, &steps, &ignored)
}

// Dropped counts the events that an observe hook lost because its queue was full,
// since it was registered.
func (e *Engine) Dropped(id string) uint64 {
	e.mu.Lock()
	entry := e.hooks[id]
	e.mu.Unlock()
	if meta := e.meta.Load(); entry == nil && meta != nil {
		return meta.Dropped(id)
	}
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
	idle  chan struct{} // closed when count falls to zero; nil while no call waits
}

// add counts a goroutine before it is started, so that wait cannot miss it.
func (p *pending) add() {
	p.mu.Lock()
	p.count++
	p.mu.Unlock()
}

// done takes a goroutine off, and wakes those that wait for the last one.
func (p *pending) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count--; p.count == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
}

// wait waits until nothing is left, or the context ends.
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
