package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
)

// maxOpen bounds the requests that one worker has open at a time. Further calls
// wait, each for as long as its own deadline allows.
const maxOpen = 256

// The pause before a worker that died is started again.
const (
	minPause = 100 * time.Millisecond
	maxPause = 2 * time.Second // as long as an open circuit
)

// worker keeps one process for all events that come from one environment, and
// replaces it when it dies or hangs.
type worker struct {
	c     *Config
	base  *environment  // what its process is started with
	calls tally         // calls under way
	procs tally         // processes that are not reaped yet
	slots chan struct{} // one for each open request
	start chan struct{} // held while a process is started
	abort chan struct{} // closed when calls under way must end

	mu      sync.Mutex
	current *peer           // nil: none is running
	deaths  int             // in a row, without an answer between them
	backoff backoff.Backoff // after a death
	pause   time.Time       // no start before
	lastErr error           // why the last one died
	stats   Stats
}

// Stats counts what happened to a handler's worker.
type Stats struct {
	Starts    int64 // processes started
	Deaths    int64 // processes that ended without being asked to
	Hangs     int64 // processes replaced because they went silent after a cancel
	Late      int64 // answers that no call waited for any more
	Unmatched int64 // answers to an id that was answered before, or never asked
	Noise     int64 // lines on stdout that were not answers
}

func newWorker(c *Config, base *environment) *worker {
	return &worker{
		backoff: backoff.Backoff{First: minPause, Most: maxPause},
		c:       c, base: base, slots: make(chan struct{}, maxOpen), start: make(chan struct{}, 1), abort: make(chan struct{}),
	}
}

// ask sends one event and waits for the answer. The error is the context's when
// it ends first; the request is cancelled then.
func (w *worker) ask(ctx context.Context, event [][]byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !w.calls.begin() {
		return nil, ErrClosed
	}
	defer w.calls.end()
	if err := take(ctx, w, w.slots); err != nil {
		return nil, err
	}
	defer func() { <-w.slots }()
	for range maxUnsent {
		p, err := w.running(ctx)
		if err != nil {
			return nil, err
		}
		answer, err := p.ask(ctx, event)
		if !errors.Is(err, errUnsent) {
			return answer, err
		}
		if err := w.awaitEnd(ctx, p); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lastErr == nil {
		return nil, hook.Unreachable(errUnsent)
	}
	return nil, hook.Unreachable(fmt.Errorf("%w, %d times; the last time: %w", errUnsent, maxUnsent, w.lastErr))
}

// maxUnsent is how many processes may die under one event before they got it.
const maxUnsent = 3

// awaitEnd waits until a process that takes no requests is out of use.
func (w *worker) awaitEnd(ctx context.Context, p *peer) error {
	if w.live() != p {
		return nil
	}
	return await(ctx, w, p.over)
}

// take takes a place in a channel, unless the context or the worker ends first.
func take(ctx context.Context, w *worker, places chan<- struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.abort:
		return ErrClosed
	}
}

// await waits for a channel, unless the context or the worker ends first.
func await[T any](ctx context.Context, w *worker, ready <-chan T) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.abort:
		return ErrClosed
	}
}

// running returns the process, and starts one if there is none.
func (w *worker) running(ctx context.Context) (*peer, error) {
	if p := w.live(); p != nil {
		return p, nil
	}
	if err := w.inTime(ctx); err != nil {
		return nil, err
	}
	if err := take(ctx, w, w.start); err != nil {
		return nil, err
	}
	defer func() { <-w.start }()
	if p := w.live(); p != nil { // somebody else has started it meanwhile
		return p, nil
	}
	if err := w.awaitPause(ctx); err != nil {
		return nil, err
	}
	if !w.procs.begin() {
		return nil, ErrClosed
	}
	proc, err := start(ctx, w.c.spec(w.base, w.c.Project, "HOOK_ACTION=execute", "HOOKWAY_WORKER=1"))
	if err != nil {
		w.procs.end()
		return nil, err
	}
	p := newPeer(w, proc)
	w.mu.Lock()
	w.current = p
	w.stats.Starts++
	w.mu.Unlock()
	p.run()
	return p, nil
}

func (w *worker) live() *peer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current
}

// awaitPause waits for the end of the pause after a death.
func (w *worker) awaitPause(ctx context.Context) error {
	w.mu.Lock()
	left := time.Until(w.pause)
	w.mu.Unlock()
	if left <= 0 {
		return nil
	}
	t := time.NewTimer(left)
	defer t.Stop()
	return await(ctx, w, t.C)
}

// inTime returns an error if the pause after a death will last beyond the
// deadline: to wait for it would only cost time.
func (w *worker) inTime(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := time.Until(w.pause)
	if deadline, ok := ctx.Deadline(); left <= 0 || !ok || !deadline.Before(w.pause) {
		return nil
	}
	return hook.Unreachable(fmt.Errorf("the worker died %d times in a row and is started again in %v, which is too late for this event; the last time: %w", w.deaths, left.Round(time.Millisecond), w.lastErr))
}

// died is called for a process that ended without being asked to.
func (w *worker) died(p *peer, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Deaths++
	w.deaths++
	w.lastErr = err
	w.pause = time.Now().Add(w.backoff.Next())
	if w.current == p {
		w.current = nil
	}
}

// retire takes a process that hangs out of use; the next event starts another.
func (w *worker) retire(p *peer) {
	w.mu.Lock()
	if w.current == p {
		w.current = nil
		w.stats.Hangs++
	}
	w.mu.Unlock()
	w.c.log(fmt.Sprintf("%s: the worker said nothing for %v after a cancelled event; another one takes its place", w.c.label(), w.c.Grace))
}

// answered ends the count of deaths in a row.
func (w *worker) answered() {
	w.mu.Lock()
	w.deaths = 0
	w.backoff.Reset()
	w.mu.Unlock()
}

func (w *worker) counts() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

func (w *worker) count(add func(*Stats)) {
	w.mu.Lock()
	add(&w.stats)
	w.mu.Unlock()
}

// close lets open requests finish for a grace, fails the rest, and ends the process.
func (w *worker) close() error {
	idle := w.calls.close()
	if !waitFor(idle, w.c.Grace) {
		close(w.abort)
		waitFor(idle, lastWait)
	}
	reaped := w.procs.close()
	if p := w.live(); p != nil {
		p.stop()
	}
	if !waitFor(reaped, 2*w.c.Grace+lastWait) {
		return fmt.Errorf("%s: a worker could not be ended; look for a process that ignores even SIGKILL", w.c.label())
	}
	return nil
}
